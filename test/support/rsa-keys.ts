import { generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'
import type { TestProject } from 'vitest/node'

/** Whose keys they are: the issuer's of most tests, the one's of `world`, and somebody's whom nobody trusts. */
const owners = ['trusted', 'world', 'stranger'] as const

declare module 'vitest' {
  interface ProvidedContext {
    /** Private keys in PEM. */
    rsaKeys: Record<(typeof owners)[number], string>
  }
}

/** Makes the RSA keys that all test files share: making one takes longer than most tests. */
export default async function shareRsaKeys({ provide }: TestProject) {
  const made = owners.map(async owner => {
    const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 })
    return [owner, privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()]
  })
  provide('rsaKeys', Object.fromEntries(await Promise.all(made)))
}
