import { expect, test } from 'vitest'
import type { TokenOptions } from '../../infra/local/issuer.ts'
import { oktaId } from '../../infra/sample-data/sample-data.ts'

/** A deployment of the service with the sample data. */
export interface Deployment {
  listUrl: string
  /** The URL before the id of a provider. */
  deleteUrl: string
  tokenFor(options?: TokenOptions): Promise<string>
}

interface Answer {
  data: { saml_providers: { id: number }[]; affected_user: { id: string }[] }
}

/**
 * Defines tests of the service's main job, from the first list to the replay.
 *
 * @param deployment is called when the tests run
 */
export function mainJob(deployment: () => Deployment) {
  const send = async (url: string, method = 'GET', headers: Record<string, string> = {}) => {
    const authorization = `Bearer ${await deployment().tokenFor()}`
    const response = await fetch(url, {
      method,
      headers: { authorization, 'accept-encoding': 'identity', ...headers },
    })
    return { status: response.status, headers: response.headers, text: await response.text() }
  }
  const listedIds = async () => {
    const { status, text } = await send(deployment().listUrl)
    expect(status).toBe(200)
    return (JSON.parse(text) as Answer).data.saml_providers.map(({ id }) => id)
  }
  let affected = ''

  test('lists the four providers', async () => {
    expect(await listedIds()).toEqual([1, 2, 3, 4])
  })

  test.each([
    ['credentials_missing', 401, {}, { authorization: '' }],
    ['token_rejected', 401, {}, { authorization: 'Bearer a.b.c' }],
    ['wait_expired', 503, {}, { prefer: 'wait=0' }],
  ])('refuses a removal with %s, and removes nothing', async (code, status, _, headers) => {
    const refused = await send(`${deployment().deleteUrl}${oktaId}`, 'DELETE', headers)
    expect([refused.status, JSON.parse(refused.text).code]).toEqual([status, code])
    expect(refused.headers.get('content-type')).toBe('application/problem+json')
    expect(await listedIds()).toHaveLength(4)
  })

  test('answers 404 for an unknown provider', async () => {
    const { status, text } = await send(`${deployment().deleteUrl}77`, 'DELETE')
    expect([status, JSON.parse(text).code]).toEqual([404, 'provider_not_found'])
  })

  test('removes Okta within the applied wait, and answers with its nine users', async () => {
    const removed = await send(`${deployment().deleteUrl}${oktaId}`, 'DELETE', { prefer: 'wait=20' })
    expect([removed.status, removed.headers.get('preference-applied')]).toEqual([200, 'wait=20'])
    expect((JSON.parse(removed.text) as Answer).data.affected_user).toHaveLength(9)
    affected = removed.text
    expect(await listedIds()).toEqual([2, 3, 4])
  })

  test('answers a repeated removal with the same users', async () => {
    const again = await send(`${deployment().deleteUrl}${oktaId}`, 'DELETE')
    expect([again.status, again.text]).toEqual([200, affected])
  })

  test('answers a client that accepts br with the same users, and no coding, which emulators break', async () => {
    const answer = await send(`${deployment().deleteUrl}${oktaId}`, 'DELETE', { 'accept-encoding': 'br' })
    expect([answer.status, answer.headers.get('content-encoding')]).toEqual([200, null])
    expect(answer.text).toBe(affected)
  })
}
