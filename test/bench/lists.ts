import { providerItem } from '../../infra/data/table/items.ts'
import { sampleProvider } from '../support/samples.ts'
import { benchTable } from './bench-table.ts'
import { type Figure, inTurns } from './measured.ts'
import { eventOf, startSides, subjects } from './services.ts'

/** By the number of providers, for a machine's token. */
const goals: Record<number, number> = { 10: 1.2, 100: 1, 1000: 0.85 }
/** Until the code is compiled. */
const warmUpRounds = 80

/** CPU time of lists of some sizes, with replies from memory. @throws Error when ours is not the plain service's */
export async function* measureLists(rounds: number): AsyncGenerator<Figure> {
  for (const [size, goal] of Object.entries(goals)) {
    const { tableName, put, front, close } = await benchTable()
    const items = Array.from({ length: Number(size) }, (_, n) =>
      providerItem(sampleProvider(n + 1, n + 1), 0),
    )
    await put(items)
    const sides = await startSides('list-saml-providers', tableName, await front({ repeats: true }))
    const times = Math.ceil(50 / items.length)
    for (const [caller, subject] of Object.entries(subjects)) {
      const bodies = { ours: '', plain: '' }
      const sampled = (side: keyof typeof bodies) => async () => {
        const events = Array.from({ length: times }, () => eventOf(undefined, subject))
        const { cpuMs, bodies: answered } = await sides[side].answer(events)
        bodies[side] = answered[0] ?? ''
        return cpuMs / times
      }
      const takes = { ours: sampled('ours'), plain: sampled('plain') }
      await inTurns(warmUpRounds, takes)
      if (bodies.ours !== bodies.plain) throw new Error(`The lists of ${size} differ.`)
      const { ours, plain } = await inTurns(rounds, takes)
      const name = `list of ${items.length.toLocaleString('en')}, by a ${caller}`
      yield {
        name,
        unit: 'ms CPU',
        ours,
        plain,
        goal: caller === 'machine' ? goal : undefined,
      }
    }
    for (const side of Object.values(sides)) side.stop()
    await close()
  }
}
