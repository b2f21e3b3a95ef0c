import { marshall } from '@aws-sdk/util-dynamodb'
import { dataOf } from '../../infra/data/open-data.ts'
import type { ProviderState } from '../../lib/domain/provider.ts'
import type { Item } from '../../lib/store/items.ts'
import { membershipsOf, providerKey } from '../../lib/store/keys.ts'
import { findUsers } from '../../lib/store/users.ts'
import { writers as otherWriters } from '../support/writers.ts'
import { type Call, outputOf, type Reply, replyOf, withoutPlan } from '../support/test-client.ts'
import type { watch } from './promises.ts'
import type { Scenario } from './scenario.ts'

/** An item that a transaction has put, changed or deleted, as reads still show it. */
interface Late {
  key: string
  before: Item | undefined
  changedMs: number
}

const keyOf = ({ PK, SK }: Item) => `${PK} ${SK}`

/**
 * Lets reads show transactions late, as DynamoDB may: a Query is only read-committed against them, and a user may be read
 * before the transaction that has marked the membership.
 *
 * @param lateMs how long after a transaction they still show items as they were before
 */
export function lateReads({ clock, items, provider }: Scenario, lateMs: number) {
  const changes: Late[] = []
  const { PK } = membershipsOf(provider.id)
  async function stored() {
    const all = await withoutPlan(items)
    return new Map(all.filter(item => item.PK === PK || item.SK === 'USER').map(item => [keyOf(item), item]))
  }
  /** The items of a reply, of those with such keys, as they were before what has changed in the last milliseconds. */
  function asBefore(shown: Values[], lateMs: number, isRead: (key: string) => boolean) {
    const items = new Map(shown.map(item => [`${item.PK?.S} ${item.SK?.S}`, item]))
    // The last change of an item counts: it came after the one before was visible.
    const late = changes.filter(({ key, changedMs }) => isRead(key) && changedMs + lateMs > clock.elapsedMs())
    for (const [key, before] of new Map(late.map(({ key, before }) => [key, before])))
      if (before === undefined) items.delete(key)
      else items.set(key, marshall(before) as Values)
    return [...items.keys()].sort().map(key => items.get(key))
  }

  return {
    /** Sends a call, and remembers what a transaction changes. */
    async commit(call: Call, body?: Call['body']): Promise<Reply> {
      if (lateMs === 0 || call.operation !== 'TransactWriteItems') return call.send(body)
      const before = await stored()
      const reply = await call.send(body)
      const after = await stored()
      for (const key of new Set([...before.keys(), ...after.keys()]))
        if (JSON.stringify(before.get(key)) !== JSON.stringify(after.get(key)))
          changes.push({ key, before: before.get(key), changedMs: clock.elapsedMs() })
      return reply
    },

    /** The reply to a call, with the items that it still shows as they were. */
    asRead({ operation, body }: Call, reply: Reply): Reply {
      if (reply.statusCode !== 200) return reply
      if (operation === 'Query') {
        const { Items = [], LastEvaluatedKey, ...others } = outputOf(reply)
        const from = (body.ExclusiveStartKey as Values | undefined)?.SK?.S ?? ''
        const to = LastEvaluatedKey?.SK.S ?? '~'
        const isRead = (key: string) => key > `${PK} ${from}` && key <= `${PK} ${to}`
        const shown = asBefore(Items, lateMs, isRead)
        return replyOf({ ...others, LastEvaluatedKey, Items: shown, Count: shown.length })
      }
      const [[table, batch] = []] = Object.entries((body.RequestItems ?? {}) as Batches)
      // The readings that a transaction follows are checked by its conditions.
      if (table === undefined || batch?.ProjectionExpression !== undefined) return reply
      const { Responses, ...others } = outputOf(reply)
      const isRead = (key: string) =>
        batch?.Keys.some(({ PK, SK }) => key === `${PK?.S} ${SK?.S}` && SK?.S === 'USER') === true
      const shown = asBefore(Responses[table], lateMs, isRead)
      return replyOf({ ...others, Responses: { [table]: shown } })
    },
  }
}

type Batches = Record<string, { ProjectionExpression?: string; Keys: Values[] }>
type Values = Record<string, { S?: string }>

const never = new AbortController().signal

export type Writer = 'link' | 'move' | 'erase' | 'spoil'

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

    /** Makes the end of the retention unreadable, so that the next attempt has another. */
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
  }
}

/** Sends a call while an operator has set the provider of a running removal to active by hand; then sets it back. */
export async function whileReactivated(
  { provider, state, table }: Scenario,
  history: ReturnType<typeof watch>,
  send: Call['send'],
): Promise<Reply> {
  const set = (before: ProviderState, after: ProviderState) =>
    table.update(
      providerKey(provider.id),
      {
        UpdateExpression: 'SET #state = :after',
        ConditionExpression: '#state = :before',
        ExpressionAttributeNames: { '#state': 'state' },
        ExpressionAttributeValues: { ':before': before, ':after': after },
      },
      never,
    )
  if ((await set('removing', 'active')) === undefined) return send()
  const { linked } = await state()
  const reply = await send()
  if ((await state()).linked.length < linked.length)
    history.breaks('a user is unlinked while the provider is not in its removal')
  await set('active', 'removing')
  return reply
}
