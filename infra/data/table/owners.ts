import { type Links, linkValuesOf } from '../../../lib/domain/provider.ts'
import type { SamlProvider } from '../../../lib/domain/resources.ts'

/** A link of a user, and the providers to which it leads: at most one, unless several have one `sso_provider_id`. */
interface OwnedLink<P> {
  name: keyof Links
  value: number
  owners: P[]
}

/** Returns a function that finds, without a look at every provider, where the links of a user lead. */
export function ownersAmong<P extends { resource: SamlProvider }>(
  providers: readonly P[],
): (links: Links) => OwnedLink<P>[] {
  const byLink = new Map<string, P[]>()
  for (const provider of providers)
    for (const [name, value] of linkValuesOf(provider.resource)) {
      const owners = byLink.get(`${name} ${value}`)
      if (owners === undefined) byLink.set(`${name} ${value}`, [provider])
      else owners.push(provider)
    }
  const names = ['saml_provider_id', 'sso_provider_id'] as const
  return links =>
    names
      .filter(name => links[name].valid)
      .map(name => {
        const value = links[name].int32
        return { name, value, owners: byLink.get(`${name} ${value}`) ?? [] }
      })
}
