import { createHash } from 'node:crypto'

/** The records of another system in this service's plain dialect. */
export interface Converted {
  providers: Fields[]
  users: Fields[]
  /** What is not written on purpose, each a sentence. */
  leftOut: string[]
  /** Users who need a decision, each a sentence. */
  problems: string[]
}

type Fields = Record<string, unknown>

/** What the files of another system have. */
export interface Found {
  /** The providers; `isLeftOut`: why this one is not written. */
  providers: { alias: string; isLeftOut: string | false; fields: Fields }[]
  /** The people, each with the aliases of the providers that know this person. */
  people: { name: string; aliases: string[]; fields: Fields }[]
  leftOut?: string[]
}

/**
 * Gives each provider its number, and links each person to the SAML provider by whose alias the other system knows the person.
 *
 * @param prefer of several SAML identities of a user, the alias that comes first here is taken
 */
export function converted({ providers, people, leftOut = [] }: Found, prefer: readonly string[]): Converted {
  const saml = providers.filter(({ isLeftOut }) => !isLeftOut)
  const problems: string[] = []
  const users = people.flatMap(({ name, aliases, fields }) => {
    const own = saml.map(({ alias }) => alias).filter(alias => aliases.includes(alias))
    const alias = own.length > 1 ? prefer.find(preferred => own.includes(preferred)) : own[0]
    if (own.length <= 1 || alias !== undefined)
      return [{ ...fields, saml_provider_id: alias === undefined ? null : providerIdOf(alias) }]
    problems.push(
      `The user ${name} is left out: a user has one SAML provider, and this one has ${own.join(', ')}. Choose with --prefer.`,
    )
    return []
  })
  return {
    providers: saml.map(({ alias, fields }) => ({ id: providerIdOf(alias), name: alias, ...fields })),
    users,
    leftOut: [...providers.flatMap(({ isLeftOut }) => isLeftOut || []), ...leftOut],
    problems,
  }
}

/** The number for an alias: the first 31 bits of its SHA-256, the same in every run and on every machine. */
const providerIdOf = (alias: string): number =>
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
