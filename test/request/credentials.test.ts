import { describe, expect, test } from 'vitest'
import { sampleProvider, sampleUser } from '../support/samples.ts'
import { world } from '../support/world.ts'
import { realm, refuses } from './refusal.ts'

const bearer = (...values: string[]): [string, string][] => values.map(value => ['Authorization', value])

describe('credentials', () => {
  const rows: [string, (token: string) => [string, string][], string, string][] = [
    ['no Authorization', () => [], 'credentials_missing', realm],
    ['another scheme', () => bearer('Basic dXNlcjpwYXNz'), 'credentials_missing', realm],
    ['an empty one', () => bearer(''), 'credentials_missing', realm],
    ['a scheme that starts like it', token => bearer(`BearerX ${token}`), 'credentials_missing', realm],
    ['a token without a scheme', token => bearer(token), 'credentials_missing', realm],
    ['a token in another header', token => [['X-Access-Token', token]], 'credentials_missing', realm],
    ['a scheme without a token', () => bearer('Bearer'), 'token_rejected', `${realm}, error="invalid_token"`],
    [
      'two tokens',
      token => bearer(`Bearer ${token} ${token}`),
      'token_rejected',
      `${realm}, error="invalid_token"`,
    ],
    [
      'two lines',
      token => bearer(`Bearer ${token}`, `Bearer ${token}`),
      'token_rejected',
      `${realm}, error="invalid_token"`,
    ],
    [
      'a line of another scheme beside it',
      token => bearer(`Bearer ${token}`, 'Basic eA=='),
      'token_rejected',
      `${realm}, error="invalid_token"`,
    ],
    [
      'two in one list',
      token => bearer(`Bearer ${token}, Bearer ${token}`),
      'token_rejected',
      `${realm}, error="invalid_token"`,
    ],
    ['garbage', () => bearer('Bearer abc'), 'token_rejected', `${realm}, error="invalid_token"`],
    [
      'a token cut short',
      token => bearer(`Bearer ${token.slice(0, -9)}`),
      'token_rejected',
      `${realm}, error="invalid_token"`,
    ],
  ]
  test.each(rows)('%s is 401 on both endpoints', async (_, headers, code, challenge) => {
    const w = await world()
    await w.putProvider(sampleProvider(7), [sampleUser(1, { saml: 7 })])
    await refuses(w, () => w.list({ headers: headers(w.token()) }), 401, code, challenge)
    await refuses(w, () => w.remove(7, { headers: headers(w.token()) }), 401, code, challenge)
  })

  test.each(['bearer', 'BEARER', 'bEaReR', 'Bearer  '])('the scheme as %j is fine', async scheme => {
    const w = await world()
    expect((await w.list({ headers: bearer(`${scheme} ${w.token()}`) })).status).toBe(200)
  })

  test('the header name as a client of HTTP/2 sends it is fine', async () => {
    const w = await world()
    expect((await w.list({ headers: [['authorization', `Bearer ${w.token()}`]] })).status).toBe(200)
  })

  test('an expired and a foreign token get the same body, but for the request', async () => {
    const w = await world()
    const expired = w.token({ exp: w.clock.nowMs() / 1000 })
    const foreign = w.token({ iss: 'https://other.example' })
    const bodies = [await w.list({ token: expired }), await w.list({ token: foreign })].map(
      answer => answer.text,
    )
    expect(bodies[0]).toBe(bodies[1])
  })
})
