import { createPrivateKey, createPublicKey } from 'node:crypto'
import { inject, type ProvidedContext } from 'vitest'

/** An RSA key pair of 2048 bits that all test files of a run share. */
export function sharedKeys(owner: keyof ProvidedContext['rsaKeys']) {
  const privateKey = createPrivateKey(inject('rsaKeys')[owner])
  return { privateKey, publicKey: createPublicKey(privateKey) }
}
