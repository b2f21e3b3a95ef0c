import { providerId } from '../command-line/values.ts'
import { defineDataCommand, interruptible } from './command.ts'
import { type Imported, importRecords } from './import/import-records.ts'
import type { Told } from './import/report.ts'
import { sentencesOf, sentencesOnImporting } from './import/sentences.ts'
import { withData } from './open-data.ts'
import { print, say } from './progress.ts'
import { findSources } from './records/source.ts'

export const importCommand = defineDataCommand(
  'import',
  'Adds providers and users to the table while the service runs; changes none unless told to. It reads and compares all records first, and writes nothing if one has a fault. Prints one JSON object a line for each fault, and for each record that differs from the table: kind, place, id and reason.',
  ' providers.ndjson users.ndjson',
)
  .argument('<FILE...>', 'The files to import, or - for standard input.')
  .option('--update', 'Gives users and providers in the table the values of their records.')
  .option(
    '--unlink <ID>',
    'Users may lose their link to this provider. It can be given several times.',
    (text: string, ids: number[]) => [...ids, providerId(text)],
    [],
  )
  .option('--dry-run', 'Writes nothing, and prints what would be updated, too.')
  .option('--records', 'Prints the records themselves, too, which are data of people.')
  .action((files, { table, records: isPrinted, dryRun = false, ...options }) =>
    interruptible(async signal => {
      const sources = findSources(files)
      const tell = ({ kind, place, id, reason, text }: Told) =>
        print(JSON.stringify({ kind, place, id, reason, record: isPrinted ? text : undefined }))
      const imported = await withData(table, signal, data =>
        importRecords(data, sources, { dryRun, ...options }, tell, signal),
      )
      return sayEnd(imported, dryRun, table)
    }),
  )

/** Says what has become of the records. @returns the exit code: 0 when every record is in the table as it was read */
function sayEnd(imported: Imported, dryRun: boolean, table: string): number {
  const { report, isWritten, unknown } = imported
  const importing = dryRun ? [] : sentencesOnImporting(imported, table)
  if (unknown.size > 0) say(`unknown fields, which are left out: ${[...unknown].join(', ')}`)
  // Beside faults, what would be written says nothing.
  if (isWritten || report.faults === 0) for (const line of sentencesOf(imported, dryRun)) say(line)
  else say(`${report.faults} faults: nothing was written.`)
  for (const line of importing) say(line)
  return report.faults + report.left() + importing.length > 0 ? 1 : 0
}
