import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { deleteSamlProvider } from '../../../functions/delete-saml-provider.ts'
import type { ApiAnswer } from '../../../lib/http/request.ts'
import { sampleProvider, sampleUser } from '../../support/samples.ts'
import { world } from '../../support/world.ts'

/** The event of a DELETE of provider 1 in LocalStack 2026.3.0, without the token. */
const recorded = JSON.parse(readFileSync(join(import.meta.dirname, 'recorded-event.json'), 'utf8'))

test("LocalStack's event is read: id, token, both lines of Prefer, Accept-Encoding, time and request id", async () => {
  const { deps, clock, token, putProvider } = await world()
  await putProvider(sampleProvider(1), [sampleUser(1, { saml: 1 })])
  const Authorization = `Bearer ${token()}`
  const event = {
    ...recorded,
    headers: { ...recorded.headers, Authorization },
    multiValueHeaders: { ...recorded.multiValueHeaders, Authorization: [Authorization] },
    requestContext: { ...recorded.requestContext, requestTimeEpoch: clock.nowMs() },
  }
  const handle = deleteSamlProvider(deps) as unknown as (
    event: unknown,
    context: object,
  ) => Promise<ApiAnswer>
  const { statusCode, headers, body } = await handle(event, {})
  expect(statusCode).toBe(200)
  expect(headers).toMatchObject({
    'X-Request-Id': recorded.requestContext.requestId,
    'Preference-Applied': 'wait=20',
    'Content-Encoding': 'br',
  })
  const { data } = JSON.parse(String(brotliDecompressSync(Buffer.from(body, 'base64'))))
  expect(data.affected_user).toHaveLength(1)
})
