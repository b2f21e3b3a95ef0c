import { systemClock } from '../../lib/time.ts'
import { print } from '../command-line/output.ts'
import { wholeNumber } from '../command-line/values.ts'
import { defineDataCommand } from './command.ts'
import { openDisplay } from './display.ts'
import { importRecords } from './import/import-records.ts'
import { openRefused } from './import/refused-file.ts'
import { leftIn, type Told } from './import/report.ts'
import { eventsOf, lineOf, sentencesOf } from './import/summary.ts'
import { interruptible } from './interruptible.ts'
import { withData } from './open-data.ts'
import { atRate } from './rate.ts'
import { findSources } from './records/source.ts'

export const importCommand = defineDataCommand(
  'import',
  'Adds providers and users to the table while the service runs; changes none unless told to.',
  ' providers.ndjson users.ndjson',
)
  .argument('<FILE...>', 'The files to import, or - for standard input.')
  .option('--update', 'Gives users and providers in the table the values of their records.')
  .option('--strict', 'Writes nothing unless every record can be written.')
  .option('--dry-run', 'Writes nothing, and prints what would be refused or updated.')
  .option(
    '--refused <FILE>',
    'Writes each record that is not in the table, with the reason, to import it when it is mended.',
  )
  .option('--rate <NUMBER>', 'The most items to write in a second.', wholeNumber(1, 1_000_000))
  .option(
    '--json',
    'Prints one JSON object per line: each record not written, then files, providers and totals.',
  )
  .action((files, { table, rate = Number.POSITIVE_INFINITY, refused, json = false, ...options }) =>
    interruptible(async signal => {
      const startMs = systemClock.nowMs()
      const { say, phase } = openDisplay()
      const sources = findSources(files)
      using kept = refused === undefined ? undefined : openRefused(refused)
      const tell = (record: Told) => {
        kept?.add(record)
        const line = lineOf(record, !options.dryRun, json)
        if (line !== undefined) json ? print(line) : say(line)
      }
      const importing = { ...options, keep: kept !== undefined }
      const imported = await withData(table, signal, data =>
        importRecords(atRate(data, rate), sources, importing, { tell, phase }, signal),
      )
      const summary = { sources, ...imported, seconds: (systemClock.nowMs() - startMs) / 1000 }
      for (const line of json ? eventsOf(summary) : sentencesOf(summary)) print(line)
      // 0 when every record is in the table as it was read.
      return leftIn(imported.counts) > 0 ? 1 : 0
    }),
  )
