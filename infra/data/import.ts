import { print } from '../command-line/output.ts'
import { providerId } from '../command-line/values.ts'
import { defineDataCommand, interruptible } from './command.ts'
import { importRecords } from './import/import-records.ts'
import { leftIn, sentencesOf, type Told } from './import/report.ts'
import { withData } from './open-data.ts'
import { say } from './progress.ts'
import { findSources } from './records/source.ts'

export const importCommand = defineDataCommand(
  'import',
  'Adds providers and users to the table while the service runs; changes none unless told to. It reads and compares all records first, and writes nothing if one has a fault. Prints one JSON object a line for each fault, and for each record that differs from the table: place, id and reason.',
  ' providers.ndjson users.ndjson',
)
  .argument('<FILE...>', 'The files to import, or - for standard input.')
  .option('--update', 'Gives users and providers in the table the values of their records.')
  .option(
    '--unlink <ID>',
    'Users may lose their link to this provider, which is in neither the table nor the input, or which would lose all of its users, or more than a tenth and more than ten. It can be given several times.',
    (text: string, ids: number[]) => [...ids, providerId(text)],
    [],
  )
  .option('--dry-run', 'Writes nothing, and prints what would be updated, too.')
  .option('--records', 'Prints the records themselves, too, which are data of people.')
  .action((files, { table, records: isPrinted, ...options }) =>
    interruptible(async signal => {
      const sources = findSources(files)
      const tell = ({ place, id, reason, text }: Told) =>
        print(JSON.stringify({ place, id, reason, record: isPrinted ? text : undefined }))
      const { tally, faults, unknown } = await withData(table, signal, data =>
        importRecords(data, sources, options, tell, signal),
      )
      if (unknown.size > 0) say(`unknown fields, which are left out: ${[...unknown].join(', ')}`)
      // Beside faults, what would be written says nothing.
      if (faults > 0) say(`${faults} faults: nothing was written.`)
      else for (const line of sentencesOf(tally, options.dryRun === true)) say(line)
      // 0 when every record is in the table as it was read.
      return faults + leftIn(tally.counts) > 0 ? 1 : 0
    }),
  )
