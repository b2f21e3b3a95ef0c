import { defineCommand } from '../command-line/command.ts'
import { openDisplay } from './display.ts'
import { type ExportOptions, exportRecords } from './export/export-records.ts'
import { interruptible } from './interruptible.ts'
import { tableOption, tableVariables, withData } from './open-data.ts'
import { write } from './write.ts'

async function run(table: string | undefined, options: ExportOptions, signal: AbortSignal): Promise<number> {
  const leftOut = await withData(table, data => exportRecords(data, options, write, signal))
  if (leftOut.length > 0)
    openDisplay().say(
      `Left out, because they are being removed or were removed: the providers ${leftOut.join(', ')}.`,
    )
  return 0
}

function oneOf<const T extends string>(name: string, allowed: readonly T[], typed: string): T {
  const found = allowed.find(value => value === typed)
  if (found === undefined) throw new Error(`--${name} must be ${allowed.join(' or ')}, and is "${typed}".`)
  return found
}

export const exportCommand = defineCommand({
  name: 'npm run --silent data -- export',
  purpose: 'Prints all providers that are not removed, and all users, in the format of import.',
  options: {
    ...tableOption,
    dialect: {
      type: 'string',
      value: 'NAME',
      description: "document: the service's own, with nullable wrappers; plain: values or null.",
      default: 'document',
    },
    format: {
      type: 'string',
      value: 'NAME',
      description: 'ndjson: one record per line; json: one object.',
      default: 'ndjson',
    },
  },
  variables: tableVariables,
  example: 'npm run --silent data -- export --table saml-providers-prod > records.ndjson',
  run: ({ table, dialect, format }) => {
    const options = {
      dialect: oneOf('dialect', ['document', 'plain'], dialect),
      format: oneOf('format', ['ndjson', 'json'], format),
    }
    return interruptible(signal => run(table, options, signal))
  },
})
