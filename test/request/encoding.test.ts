import { gunzipSync } from 'node:zlib'
import { describe, expect, test, vi } from 'vitest'
import { chooseCoding } from '../../lib/http/encoding.ts'
import { sampleProvider } from '../support/samples.ts'
import { world } from '../support/world.ts'
import { accept, linked } from './scenario.ts'

describe('Accept-Encoding (RFC 9110 §12.5.3)', () => {
  test.each([
    [[], 'identity'],
    [['br;q=0, *, gzip;q=0'], 'identity'],
    [['gzip', 'br'], 'br'],
    [['gzip;q=1, br;q=0.5'], 'gzip'],
  ])('%j is answered with %s', (lines, coding) => expect(chooseCoding(lines, ['br', 'gzip'])).toBe(coding))

  test.each([
    ['gzip, br', 'identity', undefined],
    ['br', 'gzip', undefined],
    ['gzip, br', 'gzip br', 'gzip'],
  ])('%j of the client and %j of the deployment select %s', async (accepted, codings, coding) => {
    const w = await world({ CONTENT_CODINGS: codings })
    const { status, headers } = await w.list(accept(accepted))
    expect([status, headers['Content-Encoding']]).toEqual([200, coding])
  })
})

describe('a buffered answer over 6 MB', () => {
  const buffering = () => world({ RESPONSE_TRANSFER_MODE: 'BUFFERED' })

  test('of a removal is refused when the provider is removed, and is sent when compressed', async () => {
    const w = await buffering()
    const long = { string: 'x'.repeat(350_000), valid: true }
    const users = linked(20).map(user => ({ ...user, first_name: long }))
    await w.putProvider(sampleProvider(7), users)
    const { json } = await w.remove(7)
    expect([json().code, json().detail]).toEqual([
      'answer_too_large',
      expect.stringContaining('takes br or gzip'),
    ])
    expect((await w.list()).json().data.saml_providers).toEqual([])
    const { text } = await w.remove(7, accept('gzip'))
    expect(JSON.parse(String(gunzipSync(text as Buffer))).data.affected_user).toHaveLength(20)
  })

  test.each([
    [15, 200],
    [16, 413],
  ])(
    'is measured as Lambda sends it, as a JSON string: 400 KB from each of %i get %i',
    async (count, status) => {
      const w = await buffering()
      // A quote is \" in the body, and \\\" when the runtime has written the body as a JSON string.
      const provider = { ...sampleProvider(1), name: '"'.repeat(100_000) }
      vi.spyOn(w.deps, 'listProviders').mockResolvedValue(Array(count).fill(provider))
      expect((await w.list()).status).toBe(status)
    },
  )
})
