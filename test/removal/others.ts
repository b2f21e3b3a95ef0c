import { marshall } from '@aws-sdk/util-dynamodb'
import { dataOf } from '../../infra/data/open-data.ts'
import type { Item } from '../../lib/store/items.ts'
import { members, providerKey } from '../../lib/store/keys.ts'
import { findUsers } from '../../lib/store/users.ts'
import { writers as otherWriters } from '../support/writers.ts'
import { type Call, outputOf, type Reply, replyOf, withoutPlan } from '../support/test-client.ts'
import type { watch } from './promises.ts'
import type { Scenario } from './scenario.ts'

/** A membership that a transaction has put or deleted, as Queries still show it. */
interface Late {
  SK: string
  before: Item | undefined
  untilMs: number
}

/**
 * Lets Queries show other writers' transactions late, as DynamoDB may: a Query is only read-committed against them.
 *
 * @param lateMs how long after a transaction a Query still shows the memberships as they were before
 */
export function lateReads({ clock, items, provider }: Scenario, lateMs: number) {
  const { PK } = members(provider.id)
  const changes: Late[] = []
  const memberships = async () => {
    const all = await withoutPlan(items)
    return new Map(all.filter(item => item.PK === PK).map(item => [String(item.SK), item]))
  }

  return {
    /** Sends another writer's call, and remembers what a transaction changes. */
    async commit(call: Call): Promise<Reply> {
      if (lateMs === 0 || call.operation !== 'TransactWriteItems') return call.send()
      const before = await memberships()
      const reply = await call.send()
      const after = await memberships()
      for (const SK of new Set([...before.keys(), ...after.keys()]))
        if (before.has(SK) !== after.has(SK))
          changes.push({ SK, before: before.get(SK), untilMs: clock.elapsedMs() + lateMs })
      return reply
    },

    /** The reply to a Query of the memberships as a late read; other replies are not changed. */
    asRead({ operation, body }: Call, reply: Reply): Reply {
      const late = changes.filter(({ untilMs }) => clock.elapsedMs() < untilMs)
      const { ':partition': partition } = (body.ExpressionAttributeValues ?? {}) as Values
      if (operation !== 'Query' || partition?.S !== PK || late.length === 0) return reply
      const { Items: items, LastEvaluatedKey, ...output } = outputOf(reply)
      const from = (body.ExclusiveStartKey as Values | undefined)?.SK?.S ?? ''
      const to = LastEvaluatedKey?.SK.S ?? '~'
      const shown = new Map<string, Values>(items.map((item: Values) => [item.SK?.S, item]))
      for (const { SK, before } of late) {
        // An item that was written since is shown as it is: a single write comes after the transaction.
        if (before === undefined && shown.get(SK)?.expires_at === undefined) shown.delete(SK)
        if (before !== undefined && from < SK && SK <= to) shown.set(SK, marshall(before) as Values)
      }
      const Items = [...shown.keys()].sort().map(SK => shown.get(SK))
      return replyOf({ ...output, LastEvaluatedKey, Items, Count: Items.length })
    },
  }
}

type Values = Record<string, { S?: string }>

const never = new AbortController().signal

export type Writer = 'link' | 'move' | 'erase' | 'spoil' | 'stepBack'

/** Other writers, which keep the rules of infra/data/writers/README.md; and an operator who does not. */
export function writers(
  { provider: { id }, users, newcomer, table, client, tableName, clock }: Scenario,
  history: ReturnType<typeof watch>,
): Record<Writer, () => Promise<unknown>> {
  const [toMove, toErase] = users
  const { move, erase } = otherWriters(dataOf(client, tableName, clock))
  return {
    link: () => move(newcomer.id, { saml: id }),

    /** Moves the first user, if there is one, to a provider of another protocol. */
    async move() {
      if (toMove === undefined) return
      await move(toMove.id, { sso: id + 500 })
      history.moved((await findUsers(table, [toMove.id], never))[0])
    },

    async erase() {
      if (toErase === undefined) return
      await erase(toErase.id)
      history.erased(toErase.id)
    },

    /** Makes the end of the retention unreadable, so that the next attempt replaces it. */
    spoil: () =>
      table.update(
        providerKey(id),
        {
          UpdateExpression: 'SET retained_until = :soon',
          ConditionExpression: '#state = :removing',
          ExpressionAttributeNames: { '#state': 'state' },
          ExpressionAttributeValues: { ':soon': 'soon', ':removing': 'removing' },
        },
        never,
      ),

    /** The next attempt runs where the clock is a minute behind. */
    stepBack: async () => clock.step(-60_000),
  }
}
