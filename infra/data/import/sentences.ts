import { isOpen, type ProviderRecord } from '../../../lib/domain/provider.ts'
import type { Imported } from './import-records.ts'

const words = {
  there: 'there already',
  differs: 'differing',
  leftOut: 'left out, because they were removed here',
}
const wordsOfPlan = { ...words, written: 'to be written', updated: 'to be updated' }

/** What an import did, or a dry run would do, for people. */
export function sentencesOf(imported: Imported, dryRun: boolean): string[] {
  const wordOf: Record<string, string> = dryRun ? wordsOfPlan : words
  const { counts, movesOf } = imported.report
  const records = Object.entries(counts).map(([kind, byOutcome]) => {
    const counted = Object.entries(byOutcome).filter(([, count]) => count > 0)
    const all = counted.reduce((sum, [, count]) => sum + count, 0)
    const parts = counted.map(([name, count]) => `${count} ${wordOf[name] ?? name}`)
    return [`${kind}: ${all} read`, ...parts].join(', ')
  })
  const ids = new Set([...movesOf.keys(), ...leftOutIds(imported)])
  return [
    ...(dryRun ? ['Nothing was written.'] : []),
    ...records,
    ...[...ids].sort((a, b) => a - b).flatMap(id => sentencesOn(imported, id)),
  ]
}

const leftOutIds = ({ planned }: Imported) =>
  planned.filter(({ outcome }) => outcome === 'leftOut').map(({ after }) => after.resource.id)

function sentencesOn(imported: Imported, id: number): string[] {
  const { join = 0, leave = 0, leftOut = 0 } = imported.report.movesOf.get(id) ?? {}
  const moves = join + leave > 0 ? [`  provider ${id}: ${join} users join, ${leave} leave`] : []
  const isRecord = leftOutIds(imported).includes(id)
  if (leftOut === 0 && !isRecord) return moves
  const stored = imported.providers.find(({ resource }) => resource.id === id)
  const what = [...(isRecord ? ['its record'] : []), ...(leftOut > 0 ? [`${leftOut} links to it`] : [])]
  const warning = isRecord ? `. ${whenAdded(stored)} an import adds it again: delete it in the source` : ''
  return [
    ...moves,
    `  provider ${id} ${whyLeftOut(stored, isRecord)}; left out: ${what.join(', ')}${warning}`,
  ]
}

const whyLeftOut = (stored: ProviderRecord | undefined, isRecord: boolean) =>
  (stored !== undefined && !isOpen(stored)) || isRecord
    ? 'was removed here'
    : 'is in neither the table nor the input'

/** From when on an import would take a removed provider for a new one. */
function whenAdded(stored: ProviderRecord | undefined): string {
  const until = stored?.removal?.retainedUntil
  if (stored === undefined) return 'As soon as TTL has deleted its last membership,'
  return until === undefined ? 'Later,' : `From ${new Date(until * 1000).toISOString()} on`
}

/** The providers that nobody can use yet, and how to go on. */
export const sentencesOnImporting = ({ providers }: Imported, tableName: string): string[] =>
  providers
    .filter(({ state }) => state === 'importing')
    .map(
      ({ resource: { id } }) =>
        `The provider ${id} is not in use, because an import of it has not ended. Import it again with all its users; or, to remove it, open it with those who are in the table, and send the DELETE:\n` +
        `  npm run --silent data -- export --table ${tableName} | jq -c 'select(.id == ${id})' | npm run --silent data -- import --table ${tableName} -`,
    )
