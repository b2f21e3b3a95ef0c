import { expect, test } from 'vitest'
import type { TokenOptions } from '../../infra/local/issuer.ts'
import { oktaId } from '../../infra/sample-data/sample-data.ts'

/** A deployment of the service with the sample data. */
export interface Deployment {
  listUrl: string
  /** The URL before the id of a provider. */
  deleteUrl: string
  tokenFor(options?: TokenOptions): Promise<string>
  /** That of an answer to a client that accepts `br`: emulators break all. */
  coding: string | null
}

/** The administrator's calls of a deployment, which is asked for when they are sent. */
export function callsOf(deployment: () => Deployment) {
  const send = async (url: string, method = 'GET', headers: Record<string, string> = {}) => {
    const authorization = `Bearer ${await deployment().tokenFor()}`
    const init = { method, headers: { authorization, 'accept-encoding': 'identity', ...headers } }
    const response = await fetch(url, init)
    const text = await response.text()
    const json = () => JSON.parse(text)
    return { status: response.status, header: (name: string) => response.headers.get(name), text, json }
  }
  return {
    list: () => send(deployment().listUrl),
    remove: (id: number, headers?: Record<string, string>) =>
      send(`${deployment().deleteUrl}${id}`, 'DELETE', headers),
  }
}

/**
 * Defines tests of the service's main job, from the first list to the replay.
 *
 * @param deployment is called when the tests run
 */
export function mainJob(deployment: () => Deployment) {
  const { list, remove } = callsOf(deployment)
  const listedIds = async () => {
    const { status, json } = await list()
    expect(status).toBe(200)
    return json().data.saml_providers.map(({ id }: { id: number }) => id)
  }

  test.each<[code: string, status: number, id: number, headers: Record<string, string>]>([
    ['credentials_missing', 401, oktaId, { authorization: '' }],
    ['token_rejected', 401, oktaId, { authorization: 'Bearer a.b.c' }],
    ['provider_not_found', 404, 77, {}],
    ['wait_expired', 503, oktaId, { prefer: 'wait=0' }],
  ])('removes nothing when it answers %s', async (code, status, id, headers) => {
    const refused = await remove(id, headers)
    expect([refused.status, refused.json().code]).toEqual([status, code])
    expect(refused.header('content-type')).toBe('application/problem+json')
    expect(await listedIds()).toEqual([1, 2, 3, 4])
  })

  test('answers a removal and its repetition with the nine users of Okta', async () => {
    const removed = await remove(oktaId, { prefer: 'wait=20' })
    expect([removed.status, removed.header('preference-applied')]).toEqual([200, 'wait=20'])
    expect(removed.json().data.affected_user).toHaveLength(9)
    expect(await listedIds()).toEqual([2, 3, 4])
    for (const [accepted, coding] of [
      ['identity', null],
      ['br', deployment().coding],
    ]) {
      const again = await remove(oktaId, { 'accept-encoding': `${accepted}` })
      expect([again.status, again.header('content-encoding')]).toEqual([200, coding])
      expect(again.text).toBe(removed.text)
    }
  })
}
