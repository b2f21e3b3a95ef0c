import { generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'
import type { TestProject } from 'vitest/node'

/** The owners of the keys: the trusted issuer of most tests, the issuer of `world`, and another issuer. */
const owners = ['trusted', 'world', 'other'] as const

declare module 'vitest' {
  interface ProvidedContext {
    /** Private keys in PEM. */
    rsaKeys: Record<(typeof owners)[number], string>
  }
}

/** Generates the RSA keys that all test files share: generating one takes longer than most tests. */
export default async function shareRsaKeys({ provide }: TestProject) {
  const keys = owners.map(async owner => {
    const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 })
    return [owner, privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()]
  })
  provide('rsaKeys', Object.fromEntries(await Promise.all(keys)))
}
