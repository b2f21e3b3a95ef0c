import { isDeepStrictEqual } from 'node:util'
import { samlProviderShape } from '../../../lib/domain/resources.ts'
import { providerRecordOf } from '../../../lib/store/items.ts'
import { providerKey } from '../../../lib/store/keys.ts'
import { findProvider } from '../../../lib/store/providers.ts'
import { replacement } from '../table/conditions.ts'
import { correctCount, membersOf } from '../member-count.ts'
import type { Data } from '../open-data.ts'
import { difference } from './difference.ts'
import type { PlannedProvider } from './plan-providers.ts'
import { type Outcome, refused } from './report.ts'

const triesMax = 20

/** Writes a provider as it is planned. @returns what became of it */
export async function writeProvider(
  data: Data,
  planned: PlannedProvider,
  signal: AbortSignal,
): Promise<Outcome> {
  if (planned.outcome.is === 'written') return make(data, planned, signal)
  return planned.outcome.is === 'updated' ? update(data, planned, signal) : planned.outcome
}

/**
 * Creates the provider with the number of its memberships; from here on it can be used. When another import has created it
 * meanwhile, without the memberships of this one, its count is corrected.
 */
async function make(data: Data, { item, record }: PlannedProvider, signal: AbortSignal): Promise<Outcome> {
  const { id } = record.resource
  const { length } = await membersOf(data, id, signal)
  const Item = { ...item, member_count: length }
  const put = { Put: { Item, ConditionExpression: 'attribute_not_exists(PK)' } }
  const refusal = await data.transact([put], signal)
  if (refusal === undefined) return { is: 'written' }
  if (refusal.invalid !== undefined) return notTaken(refusal.invalid)
  const isCounted = await correctCount(data, id, signal)
  const found = await findProvider(data.table, id, signal)
  if (isCounted && isDeepStrictEqual(found?.resource, record.resource)) return { is: 'there' }
  return refused(
    `another writer has created the provider ${id} with other values, or is changing it: run verify --repair, which corrects its memberships and count`,
  )
}

/** Gives an active provider the values of a record; its `sso_provider_id` only while it has none, because users are linked by it. */
async function update(
  data: Data,
  { item, record, leftOut }: PlannedProvider,
  signal: AbortSignal,
): Promise<Outcome> {
  const { id } = record.resource
  for (let tries = 1; tries <= triesMax; tries++) {
    const stored = await data.table.get(providerKey(id), signal)
    if (stored?.state !== 'active') return refused(`the provider ${id} is being removed or was removed`)
    const values = difference(samlProviderShape, stored, item, leftOut)
    const fields = Object.keys(values)
    if (fields.length === 0) return { is: 'there' }
    if ('sso_provider_id' in values && providerRecordOf(stored)?.resource.sso_provider_id.valid)
      return refused(`another writer has given the provider ${id} another sso_provider_id meanwhile`)
    const refusal = await data.transact([replacement(stored, values, 'state', 'sso_provider_id')], signal)
    if (refusal === undefined) return { is: 'updated', fields }
    if (refusal.invalid !== undefined) return notTaken(refusal.invalid)
  }
  return refused(`other writers changed the provider ${id} meanwhile: import again`)
}

const notTaken = (reason: string) => refused(`DynamoDB does not take the provider: ${reason}`)
