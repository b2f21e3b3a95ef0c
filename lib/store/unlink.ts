import type { SamlProvider } from '../domain/resources.ts'
import { userKey } from './keys.ts'
import type { Change, Table } from './table.ts'

/**
 * Unlinks users from a provider, each by one conditional update for the way the user is linked.
 *
 * A user hangs on it by its own id, by its SSO provider's, or by both; which, only the user's item says. The way that
 * fitted the user before is tried first, as most users of a provider are alike; then all ways, `both` first: links to a
 * provider in removal only go away, so whoever does not match `both` and then neither single way is linked no more.
 */
export function unlinker(table: Table, provider: SamlProvider) {
  const ways = waysOf(provider)
  let likeliest: Way | undefined

  return async (userId: string, atMs: number, signal: AbortSignal): Promise<void> => {
    for (const way of likeliest === undefined || likeliest === ways[0] ? ways : [likeliest, ...ways]) {
      if (!(await table.change(userKey(userId), way(new Date(atMs).toISOString()), signal))) continue
      likeliest = way
      return
    }
  }
}

type Way = (updatedAt: string) => Change

function waysOf({ id, sso_provider_id: sso }: SamlProvider): [Way, ...Way[]] {
  const saml = { attribute: 'saml_provider_id', value: ':saml' }
  if (!sso.valid) return [clear([saml], [], { ':saml': id })]
  const ssoLink = { attribute: 'sso_provider_id', value: ':sso' }
  const values = { ':saml': id, ':sso': sso.int32 }
  return [
    clear([saml, ssoLink], [], values),
    clear([saml], [ssoLink], values),
    clear([ssoLink], [saml], values),
  ]
}

interface Link {
  attribute: string
  value: string
}

const clear =
  (linked: Link[], unlinked: Link[], values: Record<string, number>): Way =>
  updatedAt => ({
    UpdateExpression: `SET updated_at = :at REMOVE ${linked.map(link => link.attribute).join(', ')}`,
    ConditionExpression: [
      ...linked.map(link => `${link.attribute} = ${link.value}`),
      ...unlinked.map(
        link => `(attribute_not_exists(${link.attribute}) OR ${link.attribute} <> ${link.value})`,
      ),
    ].join(' AND '),
    ExpressionAttributeValues: { ':at': updatedAt, ...values },
  })
