import { itemsOf, ndjson } from './scenario.ts'
import { temporaryFile } from '../support/machine.ts'
import { type Links, sampleProvider, sampleUser } from '../support/samples.ts'

export const providers = [sampleProvider(1, 10), sampleProvider(2)]
const links: Links[] = [{ saml: 1 }, { sso: 10 }, { saml: 1, sso: 10 }, { saml: 2, sso: 10 }, {}, { sso: 99 }]
export const users = Array.from({ length: 70 }, (_, n) => sampleUser(n, links[n % links.length]))

/** A file with both. */
export const file = () => temporaryFile(ndjson(...users, ...providers))

/** The first writes of their import: the marker, and all items of users. */
export const writesBeforeProviders = 1 + Math.ceil((itemsOf(providers, users).length - providers.length) / 99)
