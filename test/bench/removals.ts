import { isDeepStrictEqual } from 'node:util'
import type { User } from '../../lib/domain/resources.ts'
import { benchTable } from './bench-table.ts'
import { type Figure, inTurns } from './measured.ts'
import { eventOf, startSides } from './services.ts'

/** Numbers of users. */
const sizes = [0, 25, 100, 1000]
/** Until the code is compiled: that of a small removal takes more of them. */
const warmUpRoundsOf = (users: number) => (users < 100 ? 30 : 5)

/**
 * CPU time of removals of some sizes, of users of 2.7 KB.
 *
 * @throws Error when an answer has other users than were linked, or ours is not the plain service's
 */
export async function* measureRemovals(rounds: number): AsyncGenerator<Figure> {
  const { tableName, fill, endpoint, close } = await benchTable()
  const sides = await startSides('delete-saml-provider', tableName, endpoint)
  const answer: { ours?: User[]; plain?: User[] } = {}
  for (const users of sizes) {
    // Small ones are measured several at a time. Each size has providers of its own: what a removal leaves of a larger one
    // would be members of a smaller one.
    const providerIds = [1, 3, 5].slice(0, users < 100 ? 3 : 1).map(id => id + users * 10)
    const sampled = (side: keyof typeof sides) => async () => {
      const linked: string[][] = []
      for (const id of providerIds) linked.push(await fill(id, users))
      const { bodies, cpuMs } = await sides[side].answer(providerIds.map(id => eventOf(id)))
      const affected: User[][] = bodies.map(body => JSON.parse(body).data.affected_user)
      const ids = affected.map(list => list.map(user => user.id))
      if (!isDeepStrictEqual(ids, linked))
        throw new Error(`${side}: the answer has other users than were linked.`)
      answer[side] = affected[0] ?? []
      return cpuMs / providerIds.length
    }
    const takes = { ours: sampled('ours'), plain: sampled('plain') }
    await inTurns(warmUpRoundsOf(users), takes)
    const samples = await inTurns(rounds, takes)
    yield { name: `DELETE of ${users.toLocaleString('en')} users`, ...samples }
  }
  const [ours, plain] = [answer.ours, answer.plain].map(list =>
    JSON.stringify(list?.map(user => ({ ...user, updated_at: 'the moment' }))),
  )
  if (ours !== plain) throw new Error('The users of the two answers differ.')
  for (const side of Object.values(sides)) side.stop()
  await close()
}
