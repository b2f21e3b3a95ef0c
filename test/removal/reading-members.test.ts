import { expect, test } from 'vitest'
import { Failure } from '../../lib/domain/failure.ts'
import type { Member, RemovalPorts } from '../../lib/removal/ports.ts'
import { type Progress, unlinkMembers } from '../../lib/removal/unlink-members.ts'
import { providers } from '../../lib/store/keys.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { sampleProvider, userId } from '../support/samples.ts'
import { type Plan, withoutPlan, withPlan } from '../support/test-client.ts'
import { idsOf, scenarioFactory } from './scenario.ts'

const retentionSeconds = 7 * 86_400
const never = new AbortController().signal

interface Round {
  found: number
  pageSize?: number
  hasEmptyPages?: boolean
  /** How long it takes to read them. */
  readMs?: number
  /** How far the wall clock is stepped meanwhile. */
  stepMs?: number
  /** The last one is shown without a mark: another writer has unlinked that user, or another attempt has marked it. */
  last?: 'gone' | 'marked' | 'of another removal'
}

/** Unlinks the members of a provider, of whom the rounds find so many, all marked; the last round is repeated. */
async function unlinked(
  rounds: Round[],
  about: { memberCount?: number | undefined; begunAgoMs?: number } = {},
) {
  const { memberCount, begunAgoMs = 0 } = { memberCount: 2, ...about }
  const clock = fakeClock()
  const startMs = clock.nowMs()
  const removal = {
    id: 'removal',
    startedAtMs: startMs - begunAgoMs,
    retainedUntil: (startMs - begunAgoMs) / 1000 + retentionSeconds,
  }
  const begun = {
    resource: sampleProvider(7),
    state: 'removing' as const,
    memberCount,
    removal,
    removedAtMs: 0,
  }
  const beganMs: number[] = []
  const store = {
    async *members() {
      const round = rounds[beganMs.length] ?? rounds.at(-1) ?? { found: 0 }
      const { found, pageSize = 100, hasEmptyPages = false, readMs = 0, stepMs = 0, last } = round
      beganMs.push(clock.elapsedMs())
      clock.advance(readMs)
      clock.step(stepMs)
      const left = Array.from({ length: found }, (_, n) => userId(n))
      do {
        // All its items break the rules of the table.
        if (hasEmptyPages) yield []
        const page = left.splice(0, pageSize)
        const items = page.map((userId): Member => {
          const isLast = left.length === 0 && userId === page.at(-1)
          return { userId, isUnlinked: last === undefined || !isLast }
        })
        yield items
      } while (left.length > 0)
    },
    find: async () => begun,
    unlinker: () => async () => {
      const [{ last } = {}] = rounds
      if (last === 'of another removal') return undefined
      if (last === 'marked') return { unlinked: 1, fewerMayPass: false }
      return { unlinked: 0, reason: new Failure('table_busy'), fewerMayPass: false }
    },
  }
  const progress: Progress = { knownTotal: memberCount ?? 0 }
  const ports = { store, clock } as unknown as RemovalPorts
  const logged: unknown[] = []
  const log = (...event: unknown[]) => void logged.push(event)
  const round = await clock.moving(unlinkMembers(ports, begun, { log, signal: never }, progress))
  return {
    listed: round?.unlinked,
    beganMs,
    progress,
    logged,
  }
}

test.each([
  [2, 1],
  [2, 2],
  [2, 100],
  [3, 100],
])('the members are read once when %i of two counted ones are marked, %i a page', async (found, pageSize) => {
  for (const hasEmptyPages of [false, true])
    expect(await unlinked([{ found, pageSize, hasEmptyPages }])).toMatchObject({
      listed: found,
      beganMs: [0],
      progress: { knownTotal: found, unlinked: found },
    })
})

test('the members are read once when the last one, who is shown late, was marked', async () => {
  const { listed, beganMs, logged } = await unlinked([{ found: 3, last: 'marked' }])
  expect([listed, beganMs, logged.length]).toEqual([3, [0], 1])
})

test('the members are read again when the last one, who is shown late, has gone', async () => {
  const { listed, beganMs, logged } = await unlinked([{ found: 3, last: 'gone' }, { found: 2 }])
  expect([listed, beganMs, logged.length]).toEqual([2, [0, 100], 0])
})

test('the members are read no further when another attempt has ended their removal', async () => {
  expect(await unlinked([{ found: 3, last: 'of another removal' }])).toMatchObject({
    listed: undefined,
    beganMs: [0],
  })
})

test('the members are read again with growing pauses until none is missing', async () => {
  const { listed, beganMs } = await unlinked([{ found: 0 }, { found: 1 }, { found: 1 }, { found: 2 }])
  expect([listed, beganMs]).toEqual([2, [0, 100, 300, 700]])
})

test.each([
  ['stays wrong', 1, 2],
  ['cannot be read', 2, undefined],
])(
  'the members are read until a round has begun after eight seconds when the count %s',
  async (_, found, memberCount) => {
    const { listed, beganMs } = await unlinked([{ found }], { memberCount })
    expect([listed, beganMs]).toEqual([
      found,
      [0, 100, 300, 700, 1500, 2500, 3500, 4500, 5500, 6500, 7500, 8500],
    ])
  },
)

test.each([10_000, -10_000])(
  'the members are read until none is missing when the wall clock is stepped by %i ms',
  async stepMs => {
    const { listed, beganMs } = await unlinked([{ found: 1, stepMs }, { found: 1 }, { found: 2 }])
    expect([listed, beganMs]).toEqual([2, [0, 100, 300]])
  },
)

test('the members are read once more when the first reading took longer than eight seconds', async () => {
  const { listed, beganMs } = await unlinked([{ found: 1, readMs: 9000 }, { found: 1 }])
  expect([listed, beganMs]).toEqual([1, [0, 9100]])
  expect((await unlinked([{ found: 1, readMs: 7900 }, { found: 1 }])).beganMs).toEqual([0, 8000])
})

test('the members are read once from the end of the retention on', async () => {
  const ms = retentionSeconds * 1000
  expect(await unlinked([{ found: 1 }], { begunAgoMs: ms })).toMatchObject({ listed: 1, beganMs: [0] })
  expect((await unlinked([{ found: 1 }], { begunAgoMs: ms - 1 })).beganMs).toEqual([0, 100])
})

test('the report has no more unlinked users than affected ones', async () => {
  const { progress } = await unlinked([{ found: 1 }, { found: 0 }])
  expect(progress).toEqual({ knownTotal: 2, unlinked: 1 })
})

const makePaged = scenarioFactory(2)

test('a removal whose provider becomes active between two pages is unfinished', async () => {
  const scenario = await makePaged(5)
  let batches = 0
  const reactivated: Plan = async ({ operation, send }) => {
    const reply = await send()
    if (operation === 'TransactWriteItems' && ++batches === 1)
      await withoutPlan(async () => scenario.put([{ ...(await scenario.state()).item, state: 'active' }]))
    return reply
  }
  const interrupted = withPlan(reactivated, () => scenario.attempt())
  const facts = { knownTotal: 5, unlinked: 2 }
  await expect(interrupted).rejects.toMatchObject({ code: 'removal_unfinished', facts })
  const { members } = await scenario.state()
  expect(members.map(({ isUnlinked }) => isUnlinked)).toEqual([true, true, false, false, false])
  expect(await scenario.attempt()).toEqual(idsOf(scenario.users))
})

test('a removal whose provider is deleted between two pages is not found', async () => {
  const scenario = await makePaged(3)
  const deleting: Plan = async ({ operation, send }) => {
    const reply = await send()
    if (operation === 'TransactWriteItems')
      await withoutPlan(async () =>
        scenario.replace((await scenario.items()).filter(({ PK }) => PK !== providers.PK)),
      )
    return reply
  }
  expect(await withPlan(deleting, () => scenario.attempt())).toBe('provider_not_found')
})
