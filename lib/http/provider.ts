import type { Clock } from '../time.ts'
import { Failure } from '../domain/failure.ts'
import { isKnown, isLinked, type ProviderRecord, parseProviderId } from '../domain/provider.ts'
import type { SamlProvider } from '../domain/resources.ts'
import type { Caller } from './caller.ts'
import { step } from './request.ts'
import type { Budget } from './wait-budget.ts'

interface ProviderDeps {
  clock: Clock
  findProvider: (id: number, signal: AbortSignal) => Promise<ProviderRecord | undefined>
}

/** Loads the provider of the path; unknown → 404. */
export const loadProvider = ({ clock, findProvider }: ProviderDeps) =>
  step<{ provider: ProviderRecord }, { budget: Budget }>(async event => {
    // The id is the only variable of the path; serverless.yml alone knows its name.
    const [text = ''] = Object.values(event.pathParameters ?? {})
    const id = parseProviderId(text)
    const provider = id === undefined ? undefined : await findProvider(id, event.budget.signal)
    if (provider === undefined || !isKnown(provider, clock.nowMs())) throw new Failure('provider_not_found')
    return { provider }
  })

interface ListDeps {
  listProviders: (signal: AbortSignal) => Promise<SamlProvider[]>
}

/** Loads the active providers, by id. */
export const loadProviders = ({ listProviders }: ListDeps) =>
  step<{ providers: SamlProvider[] }, { budget: Budget }>(async ({ budget }) => ({
    providers: await listProviders(budget.signal),
  }))

/** The caller signs in through the provider to be removed → 409. Nobody does through one that is removed. */
export const refuseOwnProvider = () =>
  step<unknown, { caller: Caller; provider: ProviderRecord }>(({ caller, provider }) => {
    const isRemoved = provider.state === 'removed'
    if (!isRemoved && caller.user && isLinked(caller.user, provider.resource))
      throw new Failure('own_provider')
  })
