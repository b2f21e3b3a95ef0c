import { systemClock } from '../../lib/time.ts'
import { print } from '../command-line/output.ts'
import { providerId } from '../command-line/values.ts'
import { defineDataCommand, interruptible } from './command.ts'
import { importRecords } from './import/import-records.ts'
import { leftIn, lineOf, sentencesOf, type Told } from './import/report.ts'
import { withData } from './open-data.ts'
import { say } from './progress.ts'
import { findSources } from './records/source.ts'

/** The names of fields for people; a name in another form may be somebody's, and is only counted. */
function namesOf(unknown: ReadonlySet<string>): string {
  const names = [...unknown].filter(name => /^[\w.]{1,60}$/.test(name))
  const others = unknown.size - names.length
  return [...names, ...(others > 0 ? [`${others} with other characters`] : [])].join(', ')
}

export const importCommand = defineDataCommand(
  'import',
  'Adds providers and users to the table while the service runs; changes none unless told to. Prints one JSON object a line for each record that is not in the table as it was read: its place, its id and the reason.',
  ' providers.ndjson users.ndjson',
)
  .argument('<FILE...>', 'The files to import, or - for standard input.')
  .option('--update', 'Gives users and providers in the table the values of their records.')
  .option(
    '--unlink <ID>',
    'With --update: this provider may lose all of its users, or more than a tenth and more than ten; else nothing is written. It can be given several times.',
    (text: string, ids: number[]) => [...ids, providerId(text)],
    [],
  )
  .option('--dry-run', 'Writes nothing, and prints what would be refused or updated.')
  .option('--records', 'Prints the records themselves, too, which are data of people.')
  .action((files, { table, ...options }) =>
    interruptible(async signal => {
      if (options.unlink.length > 0 && options.update !== true)
        throw new Error('--unlink allows what --update would refuse: add --update.')
      const startMs = systemClock.nowMs()
      const sources = findSources(files)
      const tell = (record: Told) => {
        const line = lineOf(record, options.dryRun === true)
        if (line !== undefined) print(line)
      }
      const { counts, isTrial, stopped } = await withData(table, signal, data =>
        importRecords(data, sources, options, { tell }, signal),
      )
      for (const { name, unknown } of sources)
        if (unknown.size > 0) say(`${name}: unknown fields, which are left out: ${namesOf(unknown)}`)
      for (const line of [...sentencesOf(counts, isTrial), ...stopped]) say(line)
      const seconds = (systemClock.nowMs() - startMs) / 1000
      say(isTrial ? 'Nothing was written.' : `It took ${seconds.toFixed(1)} s.`)
      // 0 when every record is in the table as it was read.
      return leftIn(counts) + stopped.length > 0 ? 1 : 0
    }),
  )
