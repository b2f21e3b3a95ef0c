import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { chooseCoding } from '../../lib/http/encoding.ts'
import { sampleProvider, sampleUser } from '../support/samples.ts'
import { world } from '../support/world.ts'

const accept = (...lines: string[]) => ({
  more: lines.map((line): [string, string] => ['Accept-Encoding', line]),
})
const decode = {
  br: (bytes: Buffer) => brotliDecompressSync(bytes).toString(),
  gzip: (bytes: Buffer) => gunzipSync(bytes).toString(),
}

describe('Accept-Encoding (RFC 9110 §12.5.3; §8.4.1.3: x-gzip is gzip)', () => {
  test.each([
    [[], 'identity'],
    [[''], 'identity'],
    [['br'], 'br'],
    [['gzip'], 'gzip'],
    [['GZIP'], 'gzip'],
    [['x-gzip'], 'gzip'],
    [['X-GZip; q=0.5'], 'gzip'],
    [['deflate', 'x-gzip;q=1,br;q=0.5'], 'gzip'],
    [['br;q=0, *, x-gzip;q=0'], 'identity'],
    [['xx-gzip, x-gzip2, ax-gzip'], 'identity'],
    [['gzip, br'], 'br'],
    [['gzip, deflate, br, zstd'], 'br'],
    [['gzip', 'br'], 'br'],
    [['gzip;q=1, br;q=0.5'], 'gzip'],
    [['br;q=0, gzip'], 'gzip'],
    [['br;q=0'], 'identity'],
    [['*'], 'br'],
    [['br;q=0, *'], 'gzip'],
    [['deflate'], 'identity'],
    [['identity'], 'identity'],
    [['identity;q=0'], 'identity'],
    [['*;q=0'], 'identity'],
    [['=;,;q=x'], 'identity'],
  ])('%j is answered with %s', (lines, coding) => expect(chooseCoding(lines, ['br', 'gzip'])).toBe(coding))

  test.each([
    [['gzip, br'], ['gzip', 'br'], 'gzip'],
    [['gzip;q=0.5, br'], ['gzip', 'br'], 'br'],
    [['br, gzip'], ['gzip'], 'gzip'],
    [['br'], ['gzip'], 'identity'],
    [['*'], ['gzip'], 'gzip'],
    [['br, gzip'], [], 'identity'],
    [['*'], [], 'identity'],
  ] as const)('%j of the client and %j of the deployment select %s', (lines, offered, coding) =>
    expect(chooseCoding(lines, offered)).toBe(coding),
  )
})

describe('a compressed answer', () => {
  test.each(['br', 'gzip'] as const)(
    'with %s has the plain text after decoding, and names its coding',
    async coding => {
      const w = await world()
      const members = Array.from({ length: 250 }, (_, n) => sampleUser(n, { saml: 7 }))
      await w.putProvider(sampleProvider(7), members)
      const plain = await w.remove(7)
      expect(plain.headers).not.toHaveProperty('Content-Encoding')
      const answer = await w.remove(7, accept(coding))
      expect(answer.status).toBe(200)
      expect(answer.headers).toMatchObject({ 'Content-Encoding': coding, Vary: 'Prefer, Accept-Encoding' })
      expect(decode[coding](answer.text as Buffer)).toBe(plain.text)
    },
  )

  test.each([
    ['identity', undefined],
    ['gzip', 'gzip'],
    ['gzip br', 'gzip'],
  ])('has a configured coding: of %j it is %j', async (codings, coding) => {
    const w = await world({ CONTENT_CODINGS: codings })
    const { status, headers } = await w.list(accept('br, gzip'))
    expect([status, headers['Content-Encoding']]).toEqual([200, coding])
  })

  test('is never a problem', async () => {
    const w = await world()
    const answer = await w.remove(99, accept('br'))
    expect(answer.headers).not.toHaveProperty('Content-Encoding')
    expect(answer.json().code).toBe('provider_not_found')
  })
})

describe('a buffered answer over 6 MB', () => {
  const big = (n: number) => ({ ...sampleUser(n, { saml: 7 }), principal_name: 'x'.repeat(90_000) })

  test('is refused, and the same list is sent when compressed', async () => {
    const w = await world({ RESPONSE_TRANSFER_MODE: 'BUFFERED' })
    const members = Array.from({ length: 80 }, (_, n) => big(n))
    await w.putProvider(sampleProvider(7), members)
    const refused = await w.remove(7)
    expect([refused.status, refused.json().code]).toEqual([413, 'answer_too_large'])
    expect(refused.json().detail).toContain('Accept-Encoding: br')
    const answer = await w.remove(7, accept('gzip'))
    const users = JSON.parse(decode.gzip(answer.text as Buffer)).data.affected_user
    expect(users.map((user: { id: string }) => user.id)).toEqual(members.map(user => user.id))
  })

  test('is measured as Lambda sends it, as a JSON string', async () => {
    const w = await world({ RESPONSE_TRANSFER_MODE: 'BUFFERED' })
    const quotes = '"'.repeat(100_000)
    // A quote is \" in the body, and \\\" when the runtime has written the body as a JSON string.
    await w.putProvider(
      sampleProvider(7),
      Array.from({ length: 16 }, (_, n) => ({ ...big(n), principal_name: quotes })),
    )
    expect((await w.remove(7)).status).toBe(413)
  })
})
