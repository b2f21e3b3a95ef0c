import { randomUUID } from 'node:crypto'
import type { Key } from '../../lib/store/keys.ts'
import { type Call, type Operation, Refused, reply, type WireItem } from './wire.ts'

const actionsMax = 100
const bytesMax = 4 * 2 ** 20
const tokenMs = 10 * 60_000

const kinds = ['Put', 'Update', 'Delete', 'ConditionCheck'] as const
type Kind = (typeof kinds)[number]

interface WireAction {
  TableName: string
  Key?: WireItem
  Item?: WireItem
  ConditionExpression?: string
  ReturnValuesOnConditionCheckFailure?: string
}

interface Transaction {
  ClientRequestToken?: string
  ReturnConsumedCapacity?: string
  TransactItems: Record<string, WireAction>[]
}

interface Reason {
  Code: string
  Message?: string
  Item?: WireItem | undefined
}

/**
 * TransactWriteItems: when one action fails, the others are reverted. For ten minutes, a call with the client token of a
 * transaction that succeeded has no effect.
 *
 * Differences from DynamoDB: a conflicting call waits instead of being refused, a transaction is not atomic when the process
 * ends in the middle, another transaction with the same token is not refused, and each action consumes as much as for an item
 * of 1 KB.
 */
export function transactWriteItems(): Operation {
  const succeeded = new Set<string>()

  return async (received, call) => {
    const {
      ClientRequestToken: token = randomUUID(),
      ReturnConsumedCapacity,
      TransactItems,
    } = received as Transaction
    if (!succeeded.has(token)) {
      await run(actionsOf(TransactItems), call)
      succeeded.add(token)
      setTimeout(() => succeeded.delete(token), tokenMs).unref()
    }
    return reply(ReturnConsumedCapacity === 'TOTAL' ? { ConsumedCapacity: consumed(TransactItems) } : {})
  }
}

function actionsOf(entries: Record<string, WireAction>[]): { kind: Kind; action: WireAction }[] {
  if (entries.length === 0 || entries.length > actionsMax)
    throw invalid(`a transaction has 1 to ${actionsMax} actions`)
  const actions = entries.map(entry => {
    const [[kind, action] = [], another] = Object.entries(entry) as [Kind, WireAction][]
    if (!kind || !action || another || !kinds.includes(kind))
      throw invalid('each of TransactItems is one Put, Update, Delete or ConditionCheck')
    return { kind, action }
  })
  const keys = actions.map(({ action }) => JSON.stringify([action.TableName, keyOfAction(action)]))
  if (new Set(keys).size < keys.length)
    throw invalid('Transaction request cannot include multiple operations on one item')
  return actions
}

async function run(actions: { kind: Kind; action: WireAction }[], call: Call): Promise<void> {
  const olds = await Promise.all(actions.map(({ action }) => findOld(action, call)))
  const bytes = actions.map(({ action }, index) => Math.max(bytesOf(action.Item), bytesOf(olds[index])))
  if (bytes.reduce((sum, size) => sum + size, 0) > bytesMax)
    throw invalid('the items of a transaction have at most 4 MB')
  const outcomes = await Promise.allSettled(
    actions.map(({ kind, action }, index) => call(operationOf(kind, olds[index]), action)),
  )
  const errors = outcomes.map(outcome => (outcome.status === 'rejected' ? outcome.reason : undefined))
  if (errors.every(error => error === undefined)) return
  await Promise.all(actions.map(({ action }, index) => restore(action, olds[index], call)))
  const fault = errors.find(error => error !== undefined && error.name !== failedCondition)
  throw fault ?? cancelled(actions.map(({ action }, index) => reasonOf(errors[index], action, olds[index])))
}

/** The equivalent operation of dynalite; of a check one that changes nothing. */
function operationOf(kind: Kind, old: WireItem | undefined) {
  if (kind === 'ConditionCheck') return old === undefined ? 'DeleteItem' : 'UpdateItem'
  return `${kind}Item`
}

const bytesOf = (item: WireItem = {}) => JSON.stringify(item).length

/** Twice what each action consumes alone, for each table. */
function consumed(entries: Record<string, WireAction>[]) {
  const tables = Object.groupBy(entries, entry => Object.values(entry)[0]?.TableName ?? '')
  return Object.entries(tables).map(([TableName, actions = []]) => ({
    TableName,
    CapacityUnits: 2 * actions.length,
  }))
}

/** The key attributes of every table of this engine. */
const keyNames: (keyof Key)[] = ['PK', 'SK']

const keyOfAction = ({ Key, Item = {} }: WireAction): WireItem =>
  Key ?? Object.fromEntries(keyNames.flatMap(name => (Item[name] ? [[name, Item[name]]] : [])))

const findOld = async (action: WireAction, call: Call) => {
  const input = { TableName: action.TableName, Key: keyOfAction(action), ConsistentRead: true }
  return (await call('GetItem', input)).Item as WireItem | undefined
}

const restore = (action: WireAction, old: WireItem | undefined, call: Call) =>
  old === undefined
    ? call('DeleteItem', { TableName: action.TableName, Key: keyOfAction(action) })
    : call('PutItem', { TableName: action.TableName, Item: old })

const failedCondition = 'ConditionalCheckFailedException'

function reasonOf(error: Error | undefined, action: WireAction, old: WireItem | undefined): Reason {
  if (error === undefined) return { Code: 'None' }
  const isAsked = action.ReturnValuesOnConditionCheckFailure === 'ALL_OLD'
  return { Code: 'ConditionalCheckFailed', Message: error.message, Item: isAsked ? old : undefined }
}

function cancelled(reasons: Reason[]): Refused {
  const codes = reasons.map(reason => reason.Code).join(', ')
  return new Refused(
    'TransactionCanceledException',
    `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`,
    { CancellationReasons: reasons },
  )
}

const invalid = (message: string) => new Refused('ValidationException', message)
