import type { Source } from '../records/source.ts'
import type { Imported } from './import-records.ts'
import type { Counts, Told } from './report.ts'

/** What an import prints at its end. */
interface Summary extends Imported {
  sources: readonly Source[]
  seconds: number
}

/** The names of outcomes that have not happened. */
const planned: Record<string, string> = { written: 'toBeWritten', updated: 'toBeUpdated' }

/** A line about a record that is not in the table as it was read; undefined for others. */
export function lineOf({ place, outcome }: Told, isWriting: boolean, json: boolean): string | undefined {
  const { is, ...about } = outcome
  if (is === 'written' || is === 'there' || (is === 'updated' && isWriting)) return undefined
  if (json)
    return JSON.stringify({ event: 'record', place, outcome: isWriting ? is : (planned[is] ?? is), ...about })
  if (outcome.is === 'refused') return `${place}: ${outcome.reason}`
  const fields = 'fields' in outcome && outcome.fields.join(', ')
  if (is === 'updated') return `${place}: to be updated: ${fields}`
  return `${place}: it is in the table with other values, which --update would change: ${fields}`
}

/** The counts by the names of the outcomes, and the counts of the users of each provider by its id. */
function countsOf({ counts: { providers, users, unreadable, usersOf }, isWritten }: Summary) {
  const named = (ofKind: Counts) =>
    Object.fromEntries(
      Object.entries(ofKind).map(([name, count]) => [isWritten ? name : (planned[name] ?? name), count]),
    )
  const ofProviders = [...usersOf].sort(([one], [other]) => one - other)
  return {
    ...{ providers: named(providers), users: named(users), unreadable: unreadable.read },
    usersOf: ofProviders.map(([provider, counts]) => ({ provider, users: named(counts) })),
  }
}

/** The end of an import for programs: one JSON object a line. */
export function eventsOf(summary: Summary): string[] {
  const { sources, seconds } = summary
  const { usersOf, ...total } = countsOf(summary)
  const files = sources.map(({ name, seen: { dialects, unknown, changed } }) => ({
    ...{ event: 'file', name, dialects: [...dialects], leftOut: [...unknown], changed: [...changed] },
  }))
  const providers = usersOf.map(counts => ({ event: 'provider', ...counts }))
  return [...files, ...providers, { event: 'end', ...total, seconds }].map(event => JSON.stringify(event))
}

const words: Record<string, string> = {
  ...{ toBeWritten: 'to be written', toBeUpdated: 'to be updated' },
  ...{ there: 'there already', differs: 'differing' },
}

/** The end of an import for people. */
export function sentencesOf(summary: Summary): string[] {
  const { sources, isWritten, seconds } = summary
  const { providers, users, unreadable, usersOf } = countsOf(summary)
  const sentence = (title: string, counts: Record<string, number>) => {
    const counted = Object.entries(counts).filter(([name, count]) => name === 'read' || count > 0)
    return `${title}: ${counted.map(([name, count]) => `${count} ${words[name] ?? name}`).join(', ')}`
  }
  return [
    ...sources.map(sentenceOf),
    sentence('providers', providers),
    sentence('users', users),
    ...usersOf.map(one => sentence(`  of the provider ${one.provider}`, one.users)),
    ...(unreadable > 0 ? [`unreadable records: ${unreadable}`] : []),
    isWritten ? `It took ${seconds.toFixed(1)} s.` : 'Nothing was written.',
  ]
}

function sentenceOf({ name, seen: { dialects, unknown, changed } }: Source): string {
  const dialect = {
    '': 'no record',
    document: "the document's dialect (nullable wrappers)",
    plain: 'the plain dialect (values or null)',
  }[[...dialects].join()]
  const leftOut = unknown.size === 0 ? '' : `; unknown fields, which are left out: ${[...unknown].join(', ')}`
  return [`${name}: ${dialect ?? 'both dialects'}${leftOut}`, ...changed].join('; ')
}
