import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { chooseCoding } from '../../lib/http/encoding.ts'
import { sampleProvider } from '../support/samples.ts'
import { world } from '../support/world.ts'
import { accept, linked, untouched, worldOf } from './scenario.ts'

const service = untouched({ RESPONSE_TRANSFER_MODE: 'BUFFERED' })

afterEach(() => void vi.restoreAllMocks())

const decode = {
  br: (bytes: Buffer) => brotliDecompressSync(bytes).toString(),
  gzip: (bytes: Buffer) => gunzipSync(bytes).toString(),
}

describe('Accept-Encoding (RFC 9110 §12.5.3)', () => {
  test.each([
    [[], 'identity'],
    [['GZIP'], 'gzip'],
    [['br;q=0, *, gzip;q=0'], 'identity'],
    [['gzip', 'br'], 'br'],
    [['gzip;q=1, br;q=0.5'], 'gzip'],
    [['br;q=0, *'], 'gzip'],
    [['=;,;q=x'], 'identity'],
  ])('%j is answered with %s', (lines, coding) => expect(chooseCoding(lines, ['br', 'gzip'])).toBe(coding))

  test.each([
    [['gzip, br'], ['gzip', 'br'], 'gzip'],
    [['br'], ['gzip'], 'identity'],
    [['*'], [], 'identity'],
  ] as const)('%j of the client and %j of the deployment select %s', (lines, offered, coding) =>
    expect(chooseCoding(lines, offered)).toBe(coding),
  )
})

describe('a compressed answer', () => {
  test('has the plain text after decoding, and names its coding', async () => {
    const w = await worldOf(101)
    const plain = await w.remove(7)
    expect(plain.headers).not.toHaveProperty('Content-Encoding')
    for (const coding of ['br', 'gzip'] as const) {
      const { status, headers, text } = await w.remove(7, accept(coding))
      expect([status, headers['Content-Encoding'], headers.Vary]).toEqual([
        200,
        coding,
        'Prefer, Accept-Encoding',
      ])
      expect(decode[coding](text as Buffer)).toBe(plain.text)
    }
  })

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
    const { headers, json } = await service().remove(99, accept('br'))
    expect(headers).not.toHaveProperty('Content-Encoding')
    expect(json().code).toBe('provider_not_found')
  })
})

describe('a buffered answer over 6 MB', () => {
  const listing = (count: number, name: string) => {
    const all = Array.from({ length: count }, (_, n) => ({ ...sampleProvider(n + 1), name }))
    vi.spyOn(service().deps, 'listProviders').mockResolvedValue(all)
    return all
  }

  test('is refused, and the same list is sent when compressed', async () => {
    const all = listing(80, 'x'.repeat(90_000))
    const refused = await service().list()
    expect([refused.status, refused.json().code]).toEqual([413, 'answer_too_large'])
    expect(refused.json().detail).toContain('takes br or gzip')
    const answer = await service().list(accept('gzip'))
    expect(JSON.parse(decode.gzip(answer.text as Buffer))).toEqual({ data: { saml_providers: all } })
  })

  test('of a removal is refused when the provider is removed, and is sent when compressed', async () => {
    const w = await world({ RESPONSE_TRANSFER_MODE: 'BUFFERED' })
    const long = { string: 'x'.repeat(350_000), valid: true }
    const users = linked(20).map(user => ({ ...user, first_name: long }))
    await w.putProvider(sampleProvider(7), users)
    expect((await w.remove(7)).json().code).toBe('answer_too_large')
    expect((await w.list()).json().data.saml_providers).toEqual([])
    const { text } = await w.remove(7, accept('gzip'))
    expect(JSON.parse(decode.gzip(text as Buffer)).data.affected_user).toHaveLength(20)
  })

  test('is measured as Lambda sends it, as a JSON string', async () => {
    // A quote is \" in the body, and \\\" when the runtime has written the body as a JSON string.
    listing(16, '"'.repeat(100_000))
    expect((await service().list()).status).toBe(413)
    listing(15, '"'.repeat(100_000))
    expect((await service().list()).status).toBe(200)
  })
})
