/** The places of the same thing. */
interface Places {
  count: number
  /** The first of them. */
  first: string[]
}

/** Places by what is there: a fault by its sentence, without a value, because it may be a person's. */
export type Found<What> = Map<What, Places>

const firstMax = 3

export function note<What>(found: Found<What>, what: What, place: string): void {
  const places = found.get(what) ?? { count: 0, first: [] }
  found.set(what, places)
  places.count += 1
  if (places.first.length < firstMax) places.first.push(place)
}

export const countOf = (faults: Found<string>): number =>
  [...faults.values()].reduce((sum, { count }) => sum + count, 0)

/** A line for each kind of fault. */
export const sentencesOf = (faults: Found<string>): string[] =>
  [...faults].map(([reason, { count, first }]) => {
    const more = count > first.length ? ` and ${count - first.length} more` : ''
    return `${first.join(', ')}${more}: ${reason}`
  })
