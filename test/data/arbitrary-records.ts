import fc from 'fast-check'
import { zeroTime } from '../../lib/domain/iso-time.ts'
import { type SamlProvider, samlProviderShape, type User, userShape } from '../../lib/domain/resources.ts'
import { arbitraryOf } from '../domain/arbitrary-resource.ts'
import { int32, userId } from '../support/samples.ts'

export interface Resources {
  providers: SamlProvider[]
  users: User[]
}

/** Some of the providers 1 to 3, of which 2 and 3 have the SSO providers 10 and 20, and users with any links. */
export const arbitraryResources: fc.Arbitrary<Resources> = fc
  .record({
    providers: fc.uniqueArray(fc.integer({ min: 1, max: 3 }), { maxLength: 3 }),
    fields: fc.array(arbitraryOf(samlProviderShape), { minLength: 3, maxLength: 3 }),
    users: fc.array(arbitraryOf(userShape), { minLength: 1, maxLength: 8 }),
    links: fc.array(
      fc.record({
        saml: fc.option(fc.nat(), { nil: undefined }),
        sso: fc.constantFrom(undefined, 10, 20, 99),
      }),
      { minLength: 8, maxLength: 8 },
    ),
  })
  .map(({ providers, fields, users, links }) => ({
    providers: providers.map((id, index) => ({
      ...(fields[index] as SamlProvider),
      id,
      name: `provider ${id}`,
      deleted_at: { time: zeroTime, valid: false },
      sso_provider_id: int32([undefined, 10, 20][id - 1]),
    })),
    users: (users as User[]).map((user, n) => {
      const { saml, sso } = links[n] ?? {}
      const linked = saml === undefined ? undefined : providers[saml % (providers.length || 1)]
      return { ...user, id: userId(n), saml_provider_id: int32(linked), sso_provider_id: int32(sso) }
    }),
  }))
