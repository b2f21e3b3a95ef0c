import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createLocalJWKSet, jwtVerify } from 'jose'
import { describe, expect, test } from 'vitest'
import { openIssuer } from '../../../infra/local/issuer.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

describe('the local token issuer', () => {
  test('keeps its key in a file that only its owner can read', async () => {
    const path = temporaryFolder()
    const { trust } = await openIssuer(path)
    expect((await openIssuer(path)).trust).toBe(trust)
    expect(statSync(join(path, 'issuer.json')).mode & 0o777).toBe(0o600)
  })

  test('has one key when it is opened first several times concurrently', async () => {
    const path = temporaryFolder()
    const issuers = await Promise.all([openIssuer(path), openIssuer(path), openIssuer(path)])
    expect(new Set(issuers.map(({ trust }) => trust)).size).toBe(1)
    expect(readdirSync(path)).toEqual(['issuer.json'])
  })

  test('publishes the public key only', async () => {
    const { trust, tokenFor } = await openIssuer()
    const [{ jwks, issuer, audience }] = JSON.parse(trust)
    await jwtVerify(await tokenFor(), createLocalJWKSet(jwks), { issuer, audience, typ: 'at+jwt' })
    expect(Object.keys(jwks.keys[0]).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use'])
  })

  const publicKey = '{"kty":"RSA","n":"u1SU","e":"AQAB"}'
  test.each(['', '{', '{}', 'null', '{"kty":"RSA"}', publicKey])(
    'refuses a key file that contains %j, and names it',
    async text => {
      const path = temporaryFolder()
      const file = join(path, 'issuer.json')
      writeFileSync(file, text)
      await expect(openIssuer(path)).rejects.toThrow(`${file} does not contain a key: delete it`)
    },
  )
})
