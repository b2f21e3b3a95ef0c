import type { SamlProvider, User } from '../../../lib/domain/resources.ts'
import { reportProgress } from '../output.ts'
import { type Found, note } from './faults.ts'
import { type Line, readFiles } from './read-files.ts'

/** What files contain. */
export interface Contents {
  providers: SamlProvider[]
  /** The number of users. */
  users: number
  faults: Found<string>
  /** Members that no provider or user has. */
  unknown: Set<string>
  /** Of the files. */
  digest: string
}

/** More would be names in a map of the source, which may be those of people. */
const unknownMax = 20

/** Reads all lines. Of a user it keeps the id in memory. */
export async function checkFiles(files: readonly string[], signal: AbortSignal): Promise<Contents> {
  const contents: Contents = { providers: [], users: 0, faults: new Map(), unknown: new Set(), digest: '' }
  const { faults, unknown } = contents
  const noteUnknown = (name: string) => {
    if (unknown.size < unknownMax) unknown.add(/^[a-z_]\w{0,59}$/i.test(name) ? name : '…')
  }
  const { lines, digest } = readFiles(files, signal, noteUnknown)
  const { reasonsIn, missingProviders } = checksOf(contents)
  using progress = reportProgress('lines checked')
  for await (const line of lines) {
    for (const reason of reasonsIn(line)) note(faults, reason, line.place)
    progress.advance(1)
  }
  for (const [id, places] of missingProviders())
    faults.set(
      `/saml_provider_id there is no provider ${id}: add it, or take the link from all its users`,
      places,
    )
  // The providers show another import that the table is in use.
  if (faults.size + contents.providers.length === 0)
    for (const file of files) note(faults, 'no file has a provider', file)
  return { ...contents, digest: digest() }
}

/** What is wrong with lines as parts of one table. */
function checksOf(contents: Contents) {
  /** What only one provider, or one user, may have. */
  const taken = new Set<string>()
  const isTaken = (value: string) => {
    const isThere = taken.has(value)
    taken.add(value)
    return isThere
  }
  /** The users who are linked to each provider. */
  const linked: Found<number> = new Map()

  function ofProvider(provider: SamlProvider): string[] {
    contents.providers.push(provider)
    const reasons = uniqueIn(provider)
      .filter(([member, value]) => isTaken(`${member} ${value}`))
      .map(([member]) => `${member} is in an earlier line, too`)
    return provider.deleted_at.valid
      ? [...reasons, '/deleted_at the provider is deleted: leave it out, and the links of its users']
      : reasons
  }

  function ofUser({ id, saml_provider_id: { int32, valid } }: User, place: string): string[] {
    contents.users += 1
    if (valid) note(linked, int32, place)
    return isTaken(compact(id)) ? ['/id is in an earlier line, too'] : []
  }

  return {
    /** Adds a line to the contents. @returns what is wrong with it */
    reasonsIn(line: Line): string[] {
      if (line.kind === 'provider') return ofProvider(line.resource)
      if (line.kind === 'user') return ofUser(line.resource, line.place)
      taken.add(`/id ${line.providerId}`)
      return line.reasons
    },
    /** The providers that no line has, with the users who are linked to them. */
    missingProviders: () => [...linked].filter(([id]) => !taken.has(`/id ${id}`)),
  }
}

const uniqueIn = ({ id, name, sso_provider_id: { int32, valid } }: SamlProvider): [string, unknown][] => [
  ['/id', id],
  ['/name', name],
  ...(valid ? [['/sso_provider_id', int32] satisfies [string, unknown]] : []),
]

/** A user's id in as many bytes of memory as it has. */
const compact = (id: string) => Buffer.from(id.replaceAll('-', ''), 'hex').toString('latin1')
