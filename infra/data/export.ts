import { Option } from '@commander-js/extra-typings'
import { defineDataCommand } from './command.ts'
import { openDisplay } from './display.ts'
import { exportRecords } from './export/export-records.ts'
import { interruptible } from './interruptible.ts'
import { withData } from './open-data.ts'
import { write } from './write.ts'

export const exportCommand = defineDataCommand(
  'export',
  'Prints all providers that are not removed, and all users, in the format of import.',
  ' > records.ndjson',
)
  .addOption(
    new Option(
      '--dialect <NAME>',
      "document: the service's own, with nullable wrappers; plain: values or null.",
    )
      .choices(['document', 'plain'] as const)
      .default('document' as const),
  )
  .addOption(
    new Option('--format <NAME>', 'ndjson: one record per line; json: one object.')
      .choices(['ndjson', 'json'] as const)
      .default('ndjson' as const),
  )
  .action(({ table, ...options }) =>
    interruptible(async signal => {
      const { say, phase } = openDisplay()
      const leftOut = await withData(table, signal, data =>
        phase('records', undefined, advance => exportRecords(data, options, write, advance, signal)),
      )
      if (leftOut.length > 0)
        say(`Left out, because they are being removed or were removed: the providers ${leftOut.join(', ')}.`)
    }),
  )
