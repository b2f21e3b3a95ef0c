import { print } from '../command-line/output.ts'
import { defineDataCommand } from './command.ts'
import { openDisplay } from './display.ts'
import { importRecords } from './import/import-records.ts'
import { refusedIn } from './import/report.ts'
import { interruptible } from './interruptible.ts'
import { withData } from './open-data.ts'
import { findSources, type Source } from './records/source.ts'

interface Options {
  table: string
  files: string[]
  strict: boolean
  dryRun: boolean
  json: boolean
}

/** @returns exit code 0 when every record is in the table, else 1 */
async function run({ table, files, strict, dryRun, json }: Options, signal: AbortSignal): Promise<number> {
  const { say, phase } = openDisplay()
  const refuse = (place: string, fault: string) =>
    json ? print(JSON.stringify({ place, fault })) : say(`${place}: ${fault}`)

  const sources = findSources(files)
  const { counts, isWritten } = await withData(table, data =>
    importRecords(data, sources, { strict, dryRun }, { refuse, phase }, signal),
  )
  if (json) print(JSON.stringify({ ...counts, written: isWritten }))
  else {
    for (const source of sources) print(sentenceOf(source))
    for (const kind of ['providers', 'users'] as const)
      print(
        `${kind}: ${counts[kind].written} ${isWritten ? 'written' : 'to be written'}, ${counts[kind].there} there already, ${counts[kind].refused} refused`,
      )
    if (counts.others.refused > 0) print(`unreadable records: ${counts.others.refused}`)
    if (!isWritten) print('Nothing was written.')
  }
  return refusedIn(counts) > 0 ? 1 : 0
}

function sentenceOf({ name, seen: { dialects, unknown } }: Source): string {
  const dialect = {
    '': 'no record',
    document: "the document's dialect (nullable wrappers)",
    plain: 'the plain dialect (values or null)',
  }[[...dialects].join()]
  const leftOut = unknown.size === 0 ? '' : `; unknown fields, which are left out: ${[...unknown].join(', ')}`
  return `${name}: ${dialect ?? 'both dialects'}${leftOut}`
}

export const importCommand = defineDataCommand(
  'import',
  'Adds providers and users to the table while the service runs; never overwrites any.',
  ' providers.ndjson users.ndjson',
)
  .argument('<FILE...>', 'The files to import, or - for standard input.')
  .option('--strict', 'Writes nothing unless every record can be written.')
  .option('--dry-run', 'Writes nothing, and prints what would be written.')
  .option('--json', 'Prints one JSON object per line: each refusal, then the counts.')
  .action((files, { table, strict = false, dryRun = false, json = false }) =>
    interruptible(signal => run({ table, files, strict, dryRun, json }, signal)),
  )
