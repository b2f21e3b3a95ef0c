import { createHash } from 'node:crypto'

/** The records of another system in this service's plain dialect. */
export interface Converted {
  providers: Record<string, unknown>[]
  users: Record<string, unknown>[]
  /** What is not written on purpose, each a sentence. */
  leftOut: string[]
  /** Users who need a decision, each a sentence. */
  problems: string[]
}

/** A person of another system, and the aliases of the SAML providers that know this person. */
export interface Person {
  name: string
  aliases: string[]
  user: Record<string, unknown>
}

export interface ConvertOptions {
  /** The base URL of the other system. */
  url: string
  /** Aliases of providers: of several SAML identities of a user, the one that is named first. */
  prefer: readonly string[]
}

/** Links each person to the SAML provider by whose alias the other system knows the person. */
export function linked(people: readonly Person[], samlAliases: readonly string[], prefer: readonly string[]) {
  const problems: string[] = []
  const users = people.flatMap(({ name, aliases, user }) => {
    const saml = [...new Set(aliases)].filter(alias => samlAliases.includes(alias))
    const alias = saml.length > 1 ? prefer.find(preferred => saml.includes(preferred)) : saml[0]
    if (saml.length > 1 && alias === undefined) {
      problems.push(
        `The user ${name} is left out: a user has one SAML provider, and this one has ${saml.join(', ')}. Choose with --prefer.`,
      )
      return []
    }
    return [{ ...user, saml_provider_id: alias === undefined ? null : providerIdOf(alias) }]
  })
  return { users, problems }
}

/** The number for an alias: the first 31 bits of its SHA-256, the same in every run and on every machine. */
export const providerIdOf = (alias: string): number =>
  createHash('sha256').update(alias).digest().readUInt32BE() >>> 1 || 1

const urlNamespace = Buffer.from('6ba7b8119dad11d180b400c04fd430c8', 'hex')

/**
 * The id for a user, if it has one: a UUID in lower case; for an id that is none, the UUIDv5 of `BASE/ID` in the namespace of URLs.
 *
 * @see RFC 9562 §5.5 and §6.6
 */
export function userIdOf(id: string | undefined, base: string): string | undefined {
  if (id === undefined) return undefined
  if (/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(id)) return id.toLowerCase()
  const hash = createHash('sha1').update(urlNamespace).update(`${base}/${id}`).digest().subarray(0, 16)
  hash.writeUInt8((hash.readUInt8(6) & 0x0f) | 0x50, 6)
  hash.writeUInt8((hash.readUInt8(8) & 0x3f) | 0x80, 8)
  return hash.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
