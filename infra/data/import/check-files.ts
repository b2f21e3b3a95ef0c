import type { SamlProvider, User } from '../../../lib/domain/resources.ts'
import { withProgress } from '../output.ts'
import { type Line, readFiles } from './read-files.ts'

/** Gets a fault: the place, the member, and why. */
export type TellFault = (fault: string) => void

/** What files contain. */
export interface Contents {
  providers: SamlProvider[]
  /** The number of users. */
  users: number
  /** The number of faults. */
  faults: number
  /** Members that no provider or user has. */
  unknown: Set<string>
  /** Of the files. */
  digest: string
}

/** More would be names in a map of the source, which may be those of people. */
const unknownMax = 20

/** Reads all lines, and tells all faults. Of a user it keeps the id in memory. */
export async function checkFiles(
  files: readonly string[],
  tell: TellFault,
  signal: AbortSignal,
): Promise<Contents> {
  const contents: Contents = { providers: [], users: 0, faults: 0, unknown: new Set(), digest: '' }
  const { unknown } = contents
  const noteUnknown = (name: string) => {
    if (unknown.size < unknownMax) unknown.add(/^[a-z_]\w{0,59}$/i.test(name) ? name : '…')
  }
  const fault = (place: string, reason: string) => {
    contents.faults += 1
    tell(`${place}: ${reason}`)
  }
  const { lines, digest } = readFiles(files, signal, noteUnknown)
  const { reasonsIn, placesWithoutProvider } = checksOf(contents)
  await withProgress('lines checked', undefined, async advance => {
    for await (const line of lines) {
      for (const reason of reasonsIn(line)) fault(line.place, reason)
      advance(1)
    }
  })
  for (const [id, place] of placesWithoutProvider())
    fault(place, `/saml_provider_id there is no provider ${id}: add it, or take the link from all its users`)
  return { ...contents, digest: digest() }
}

/** What is wrong with lines as parts of one table. */
function checksOf(contents: Contents) {
  /** What only one provider, or one user, may have. */
  const taken = new Set<string>()
  const isTaken = (own: string) => {
    const isThere = taken.has(own)
    taken.add(own)
    return isThere
  }
  /** The place of the first user who is linked to each provider. */
  const linked = new Map<number, string>()

  function ofProvider(provider: SamlProvider): string[] {
    contents.providers.push(provider)
    const reasons = uniqueIn(provider)
      .filter(isTaken)
      .map(own => `${own} is in an earlier line, too`)
    return provider.deleted_at.valid
      ? [...reasons, '/deleted_at the provider is deleted: leave it out, and the links of its users']
      : reasons
  }

  function ofUser({ id, saml_provider_id: { int32, valid } }: User, place: string): string[] {
    contents.users += 1
    if (valid && !linked.has(int32)) linked.set(int32, place)
    return isTaken(compact(id)) ? ['/id is in an earlier line, too'] : []
  }

  return {
    /** Adds a line to the contents. @returns what is wrong with it */
    reasonsIn(line: Line): string[] {
      if (line.kind === 'fault') return line.reasons
      return line.kind === 'provider' ? ofProvider(line.resource) : ofUser(line.resource, line.place)
    },
    placesWithoutProvider: () => [...linked].filter(([id]) => !taken.has(`/id ${id}`)),
  }
}

const uniqueIn = ({ id, name, sso_provider_id: { int32, valid } }: SamlProvider) => [
  `/id ${id}`,
  `/name ${name}`,
  ...(valid ? [`/sso_provider_id ${int32}`] : []),
]

/** A user's id in as many bytes of memory as it has. */
const compact = (id: string) => Buffer.from(id.replaceAll('-', ''), 'hex').toString('latin1')
