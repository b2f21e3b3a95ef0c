import { isDeepStrictEqual } from 'node:util'
import type { User } from '../../lib/domain/resources.ts'
import { benchTable } from './bench-table.ts'
import { type Figure, inTurns } from './measured.ts'
import { eventOf, startSides } from './services.ts'

const callMs = 5
/** By the number of users: for CPU time, and for time at 5 ms a call. */
const cpuGoals = { 0: 1.6, 25: 0.6, 100: 0.4, 1000: 0.28 }
const wallGoals = { 0: 1.6, 1: 1.4, 25: 1.2, 100: 1, 1000: 0.6 }
/** Until the code is compiled: that of a small removal takes more of them. */
const warmUpRoundsOf = (users: number) => (users < 100 ? 30 : 5)

/**
 * Removals of some sizes, of users of 2.7 KB: CPU time, and time when each call takes 5 ms.
 *
 * @throws Error when an answer has other users than were linked, or ours is not the plain service's
 */
export async function* measureRemovals(rounds: number): AsyncGenerator<Figure> {
  const { tableName, fill, front, holdBack, close } = await benchTable()
  const sides = await startSides('delete-saml-provider', tableName, await front({}))
  const answer: { ours?: User[]; plain?: User[] } = {}
  const removals = (users: number, spent: 'cpuMs' | 'wallMs') => {
    // Small ones are measured several at a time. Each size has providers of its own: what a removal leaves of a larger one
    // would be members of a smaller one.
    const providerIds = [1, 3, 5].slice(0, users < 100 ? 3 : 1).map(id => id + users * 10)
    const by = (side: keyof typeof sides) => async () => {
      const linked: string[][] = []
      for (const id of providerIds) linked.push(await fill(id, users))
      const { bodies, ...sample } = await sides[side].answer(providerIds.map(id => eventOf(id)))
      const affected: User[][] = bodies.map(body => JSON.parse(body).data.affected_user)
      const ids = affected.map(list => list.map(user => user.id))
      if (!isDeepStrictEqual(ids, linked))
        throw new Error(`${side}: the answer has other users than were linked.`)
      answer[side] = affected[0] ?? []
      return sample[spent] / providerIds.length
    }
    return { ours: by('ours'), plain: by('plain') }
  }

  for (const [users, goal] of Object.entries(cpuGoals)) {
    const takes = removals(Number(users), 'cpuMs')
    await inTurns(warmUpRoundsOf(Number(users)), takes)
    const { ours, plain } = await inTurns(rounds, takes)
    yield { name: nameOf(users), unit: 'ms CPU', ours, plain, goal }
  }
  const [ours, plain] = [answer.ours, answer.plain].map(list =>
    JSON.stringify(list?.map(user => ({ ...user, updated_at: 'the moment' }))),
  )
  if (ours !== plain) throw new Error('The users of the two answers differ.')

  holdBack(callMs)
  for (const [users, goal] of Object.entries(wallGoals)) {
    const samples = await inTurns(rounds, removals(Number(users), 'wallMs'))
    yield { name: `${nameOf(users)}, ${callMs} ms a call`, unit: 'ms', ...samples, goal }
  }
  for (const side of Object.values(sides)) side.stop()
  await close()
}

const nameOf = (users: string) =>
  `DELETE of ${users === '1' ? '1 user' : `${Number(users).toLocaleString('en')} users`}`
