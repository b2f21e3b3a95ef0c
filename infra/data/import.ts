import { print, report } from '../command-line/output.ts'
import { defineDataCommand, onTable } from './command.ts'
import { countOf, sentencesOf } from './import/faults.ts'
import { importFiles } from './import/import-files.ts'

export const importCommand = defineDataCommand(
  'import',
  'Fills a table that has no items of this service, from files with one provider or user a line in the form of the API. It checks all lines first, and writes nothing if there is a fault. One that stops is run again with the same files. Exit code: 0 written, 1 not, or not all.',
  ' providers.ndjson users.ndjson',
)
  .argument('<FILE...>', 'The files. They are read twice, so none of them can be a pipe.')
  .option('--dry-run', 'Checks the files and the table, and writes nothing.')
  .action((files, { table, dryRun = false }) =>
    onTable(table, async (data, signal) => {
      const { faults, providers, users, unknown } = await importFiles(data, files, signal, { dryRun })
      sentencesOf(faults).forEach(print)
      if (unknown.size > 0) report(`Unknown members, which are left out: ${[...unknown].join(', ')}.`)
      const verb = dryRun ? 'would be written' : 'written'
      const whatIsWritten = `${providers.length} providers and ${users} users ${verb}.`
      report(faults.size > 0 ? `${countOf(faults)} faults: nothing was written.` : whatIsWritten)
      return faults.size > 0 ? 1 : 0
    }),
  )
