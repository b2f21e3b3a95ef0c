import type { Source } from '../records/source.ts'
import type { Imported } from './import-records.ts'
import type { Counts, Told } from './report.ts'

/** What an import prints at its end. */
interface Summary extends Imported {
  sources: readonly Source[]
  seconds: number
}

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

/** The end of an import for programs: one JSON object a line. */
export function eventsOf({ sources, counts, isWritten, seconds }: Summary): string[] {
  const named = (ofKind: Counts) =>
    Object.fromEntries(
      Object.entries(ofKind).map(([name, count]) => [isWritten ? name : (planned[name] ?? name), count]),
    )
  const events = [
    ...sources.map(({ name, seen: { dialects, unknown, changed } }) => ({
      event: 'file',
      name,
      dialects: [...dialects],
      leftOut: [...unknown],
      changed: [...changed],
    })),
    ...[...counts.usersOf].map(([provider, counts]) => ({
      event: 'provider',
      provider,
      users: named(counts),
    })),
    {
      event: 'end',
      providers: named(counts.providers),
      users: named(counts.users),
      unreadable: counts.unreadable.read,
      seconds,
    },
  ]
  return events.map(event => JSON.stringify(event))
}

/** The names of outcomes that have not happened. */
const planned: Record<string, string> = { written: 'toBeWritten', updated: 'toBeUpdated' }

/** The end of an import for people. */
export function sentencesOf({ sources, counts, isWritten, seconds }: Summary): string[] {
  const sentence = (title: string, { read, ...outcomes }: Counts) => {
    const others = Object.entries(outcomes).filter(([, count]) => count > 0)
    const words = others.map(([name, count]) => `${count} ${wordsOf[name]?.[isWritten ? 0 : 1]}`)
    return `${title}: ${[`${read} read`, ...words].join(', ')}`
  }
  return [
    ...sources.map(sentenceOf),
    sentence('providers', counts.providers),
    sentence('users', counts.users),
    ...[...counts.usersOf].map(([id, users]) => sentence(`  of the provider ${id}`, users)),
    ...(counts.unreadable.read > 0 ? [`unreadable records: ${counts.unreadable.read}`] : []),
    isWritten ? `It took ${seconds.toFixed(1)} s.` : 'Nothing was written.',
  ]
}

const wordsOf: Record<string, readonly [done: string, planned: string]> = {
  written: ['written', 'to be written'],
  there: ['there already', 'there already'],
  updated: ['updated', 'to be updated'],
  differs: ['differing', 'differing'],
  refused: ['refused', 'refused'],
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
