import { providerItem } from '../../infra/data/table/items.ts'
import { sampleProvider } from '../support/samples.ts'
import { benchTable } from './bench-table.ts'
import { type Figure, inTurns } from './measured.ts'
import { eventOf, startSides, subjects } from './services.ts'

/** Numbers of providers. */
const sizes = [10, 100, 1000]
/** Until the code is compiled. */
const warmUpRounds = 80

/** CPU time of lists of some sizes, with replies from memory. @throws Error when ours is not the plain service's */
export async function* measureLists(rounds: number): AsyncGenerator<Figure> {
  for (const size of sizes) {
    const { tableName, put, memory, close } = await benchTable()
    const items = Array.from({ length: size }, (_, n) => providerItem(sampleProvider(n + 1, n + 1), 0))
    await put(items)
    const sides = await startSides('list-saml-providers', tableName, await memory())
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
      yield { name: `list of ${size.toLocaleString('en')}, by a ${caller}`, ours, plain }
    }
    for (const side of Object.values(sides)) side.stop()
    await close()
  }
}
