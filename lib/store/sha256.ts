import { createHash, createHmac, createSecretKey, type Hash, type Hmac } from 'node:crypto'

/**
 * SHA-256, or with a secret HMAC-SHA-256, for the SDK's signatures.
 *
 * The same as the SDK's own class, in less time. That one passes a secret as bytes, for which Node first makes and drops two
 * errors, and copies each hash before reading it.
 */
export class Sha256 {
  readonly #hash: Hash | Hmac

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    if (secret === undefined) this.#hash = createHash('sha256')
    else {
      const key = typeof secret === 'string' ? secret : createSecretKey(secret as NodeJS.ArrayBufferView)
      this.#hash = createHmac('sha256', key)
    }
  }

  /** Adds bytes. */
  update(bytes: Uint8Array): void {
    this.#hash.update(bytes)
  }

  /** The hash of all bytes; may be called once. */
  async digest(): Promise<Uint8Array> {
    return this.#hash.digest()
  }
}
