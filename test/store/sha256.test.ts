import { Sha256 as SdkSha256 } from '@smithy/core/checksum'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Sha256 } from '../../lib/store/sha256.ts'

const bytes = fc.uint8Array({ maxLength: 200 })
/** A key of an account is a text; the keys that are derived from it are bytes. */
const secret = fc.oneof(fc.constant(undefined), fc.string({ minLength: 1 }), bytes)

test("a signature is the one that the SDK's own class gives", async () => {
  await fc.assert(
    fc.asyncProperty(secret, fc.array(bytes, { maxLength: 3 }), async (key, parts) => {
      const [ours, theirs] = [new Sha256(key), new SdkSha256(key)]
      for (const part of parts) {
        ours.update(part)
        theirs.update(part)
      }
      expect(Buffer.from(await ours.digest())).toEqual(Buffer.from(await theirs.digest()))
    }),
  )
})
