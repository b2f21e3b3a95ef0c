import { replacement } from '../table/conditions.ts'
import type { Refusal } from '../table/transact.ts'
import { isImported, isWritten, type PlannedProvider } from './compare-providers.ts'
import type { Terms } from './terms.ts'

/**
 * Creates new providers in state `importing`, in which nobody can use or remove them, and gives others the values of their
 * records.
 *
 * @throws Error of one sentence when another writer has created a provider meanwhile; the signal's reason
 */
export async function writeProviders(terms: Terms, providers: readonly PlannedProvider[]): Promise<void> {
  for (const planned of providers.filter(isWritten)) {
    const refusal = await write(terms, planned)
    terms.report.note('providers', refusal === undefined ? planned.outcome : 'failed')
    if (refusal === undefined) continue
    const reason = reasonOf(refusal, planned.id)
    // Without it, or with its old links, users would be written otherwise than they were compared.
    if (isImported(planned) || 'sso_provider_id' in planned.values)
      throw new Error(`No user was written, because ${reason}: import again.`)
    terms.report.fault(planned, reason)
  }
}

/** Writes on the condition that the provider is as it was read. @returns why it was not written */
async function write({ data, signal }: Terms, planned: PlannedProvider): Promise<Refusal | undefined> {
  const { item, stored, values, after } = planned
  const created = { ...item, state: after.state, member_count: after.memberCount }
  if (stored === undefined)
    return data.transact(
      [{ Put: { Item: created, ConditionExpression: 'attribute_not_exists(PK)' } }],
      signal,
    )
  if (Object.keys(values).length === 0) return undefined
  return data.transact([replacement(stored, values, 'state')], signal)
}

const reasonOf = ({ invalid }: Refusal, id: unknown) =>
  invalid === undefined
    ? `another writer has changed the provider ${id} meanwhile`
    : `DynamoDB does not take the provider ${id}: ${invalid}`
