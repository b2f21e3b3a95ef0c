import { createHash } from 'node:crypto'

/** A JSON value of the other system's files, and its place, such as `realm.json:1`. */
export interface Placed {
  place: string
  value: unknown
}

/** What the files of another system have. */
export interface Found {
  /** The SAML providers. */
  providers: { alias: string; isEnabled: boolean; fields: Fields }[]
  /** The people, each with the aliases of the SAML providers that know this person. */
  people: { name: string; aliases: string[]; fields: Fields }[]
  /** What is not SAML, or nobody, each a sentence. */
  leftOut: string[]
}

type Fields = Record<string, unknown>

/** What an operator has decided about SAML providers, by their aliases. */
export interface Decisions {
  /** Of several providers of a user, the first of these is taken. */
  prefer: readonly string[]
  /** These are left out: their users have no link to them. */
  leaveOut: readonly string[]
}

/** The records of another system in this service's plain dialect. */
export interface Converted {
  providers: Fields[]
  users: Fields[]
  /** What is not written on purpose, each a sentence. */
  leftOut: string[]
  /** Users who need a decision, each a sentence. */
  problems: string[]
}

/**
 * Gives each provider its number, and links each person to the SAML provider by whose alias the other system knows the person.
 * No person loses a link unless it was decided: `import --update` would unlink the user.
 *
 * @throws Error of one sentence when providers or users are missing, an alias occurs twice, or a decision has an unknown one
 */
export function converted({ providers, people, leftOut }: Found, { prefer, leaveOut }: Decisions): Converted {
  if (providers.length === 0)
    throw new Error('No file has a SAML provider: name the file of the providers, too.')
  if (people.length === 0) throw new Error('No file has a user: name the files of the users, too.')
  const own = providers.map(({ alias }) => alias)
  const twice = own.find((alias, index) => own.indexOf(alias) < index)
  if (twice !== undefined) throw new Error(`The provider ${twice} occurs twice: name each file once.`)
  const known = new Set([...own, ...people.flatMap(({ aliases }) => aliases)])
  const unknown = [...prefer, ...leaveOut].find(alias => !known.has(alias))
  if (unknown !== undefined)
    throw new Error(`There is no SAML provider ${unknown}: the files have ${[...known].join(', ')}.`)

  const taken = providers.filter(({ alias, isEnabled }) => isEnabled && !leaveOut.includes(alias))
  const problems: string[] = []
  const users = people.flatMap(({ name, aliases, fields }) => {
    const wanted = aliases.filter(alias => !leaveOut.includes(alias))
    const links = taken.map(({ alias }) => alias).filter(alias => wanted.includes(alias))
    const alias = links.length > 1 ? prefer.find(preferred => links.includes(preferred)) : links[0]
    if (alias !== undefined || wanted.length === 0)
      return [{ ...fields, saml_provider_id: alias === undefined ? null : providerIdOf(alias) }]
    problems.push(
      links.length > 1
        ? `The user ${name} has the SAML providers ${links.join(', ')}, and can have one. Choose with --prefer.`
        : `The user ${name} has the SAML provider ${wanted.join(', ')}, which is disabled or in no file. Unlink the user with --leave-out.`,
    )
    return []
  })
  const disabled = providers.filter(({ isEnabled }) => !isEnabled)
  return {
    providers: taken.map(({ alias, fields }) => ({ id: providerIdOf(alias), name: alias, ...fields })),
    users,
    leftOut: [
      ...leftOut,
      ...disabled.map(({ alias }) => `The provider ${alias} is left out: it is disabled.`),
    ],
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
