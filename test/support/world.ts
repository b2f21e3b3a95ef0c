import { randomUUID } from 'node:crypto'
import { DeleteCommand } from '@aws-sdk/lib-dynamodb'
import { expect, onTestFinished } from 'vitest'
import { deleteSamlProvider } from '../../functions/delete-saml-provider.ts'
import { listSamlProviders } from '../../functions/list-saml-providers.ts'
import { createTable, dropTable } from '../../infra/resources/table.ts'
import { localSettings } from '../../infra/serverless/service-definition.ts'
import { readConfig } from '../../lib/config.ts'
import { createDeps } from '../../lib/deps.ts'
import type { SamlProvider, User } from '../../lib/domain/resources.ts'
import type { ApiAnswer, Head } from '../../lib/http/request.ts'
import type { LogEvent } from '../../lib/log.ts'
import { membershipItem, providerItem, userItem } from '../../infra/data/table/encoding.ts'
import type { Item } from '../../lib/store/items.ts'
import { type Key, providers } from '../../lib/store/keys.ts'
import { type TestRequest, apiRequest } from './api-request.ts'
import { type Members, sharedKeys, signer } from '../auth/token/signer.ts'
import { fakeClock } from './fake-clock.ts'
import { type FakeResponseStream, fakeResponseStream } from './fake-response-stream.ts'
import { allItems, putItems } from './put-items.ts'
import { openOwnClient } from './test-client.ts'
import { assertDocumented } from '../openapi/validate.ts'

export type World = Awaited<ReturnType<typeof world>>
type Endpoint = typeof listSamlProviders | typeof deleteSamlProvider
type Logged = { event: LogEvent } & Record<string, unknown>

/** Registers the clean-up: with the test, or with the function that a file's `beforeAll` returns. */
type AtEnd = (cleanUp: () => Promise<void>) => void

const issuer = 'https://issuer.example'
const audience = 'administration'
/** The setting of a world that fetches the keys of its issuer. */
export const fetchedKeys = { ISSUERS: JSON.stringify([{ issuer, audience, jwksUri: `${issuer}/jwks` }]) }
export const scopes = { read: 'saml-providers:read', delete: 'saml-providers:delete' }

/** Longer than pauses, shorter than budgets: a pause ends by itself, a budget when a test advances the clock. */
const pauseMaxMs = 1000

/** In the year 2255: later than the time of this machine, which aws-jwt-verify reads, and than any time of a fake clock. */
const validUntil = 9_000_000_000

const keys = signer({ issuer, audience, nowMs: () => 0, keys: sharedKeys('world') })

/**
 * The whole service in this process, with its own table: real handlers, store and token verification, a fake clock on
 * which only pauses take time, and a recorded log.
 */
export async function world(
  settings: Record<string, string> = {},
  atEnd: AtEnd = onTestFinished,
  open = openOwnClient,
) {
  const clock = fakeClock(undefined, pauseMaxMs)
  const client = open(clock)
  const tableName = `test-${randomUUID()}`
  await createTable(client, tableName)
  atEnd(async () => {
    // The client of a test that failed may still have the test's faults, for which this would wait in vain.
    const cleaner = open(clock)
    await dropTable(cleaner, tableName)
  })

  const logged: Logged[] = []
  const issuers = JSON.stringify([{ issuer, audience, jwks: keys.jwks }])
  const config = readConfig({ ...localSettings({ issuers, tableName }).environment, ...settings })
  const deps = createDeps(config, {
    clock,
    log: (event, facts) => logged.push({ event, ...facts }),
    client,
    fetchJson: () => Promise.reject(new Error('tests have no network')),
    newId: randomUUID,
  })

  const token = (claims: Members = {}, header: Members = {}) => {
    const nowSeconds = Math.floor(clock.nowMs() / 1000)
    const usual = { iat: nowSeconds, exp: validUntil, scope: `${scopes.read} ${scopes.delete}` }
    return keys.sign({ ...usual, ...claims }, header)
  }

  const items = () => allItems(client, tableName)
  const put = (...items: Item[]) => putItems(client, tableName, items)

  const invoke = (endpoint: Endpoint, event: unknown, context: object) =>
    (endpoint(deps) as unknown as (event: unknown, context: object) => Promise<ApiAnswer>)(event, context)

  const call = async (endpoint: Endpoint, request: TestRequest) => {
    const headers = request.headers ?? [['Authorization', `Bearer ${request.token ?? token()}`]]
    const event = apiRequest({ ...request, headers: [...headers, ...(request.more ?? [])] }, clock.nowMs())
    const getRemainingTimeInMillis = () => request.remainingMs ?? 150_000
    const context = { getRemainingTimeInMillis }
    const { stream = fakeResponseStream() } = request
    const answer = await clock.moving(
      config.responseTransferMode === 'STREAM'
        ? invoke(endpoint, event, { ...context, openStream: stream.openStream }).then(() =>
            readStream(stream),
          )
        : invoke(endpoint, event, context).then(read),
    )
    assertDocumented(event.httpMethod, event.resource, { ...answer, body: answer.text })
    return answer
  }

  return {
    clock,
    client,
    config,
    deps,
    logged,
    tableName,
    token,
    put,
    /** Stores a provider with its members: users, memberships and count. */
    async putProvider(provider: SamlProvider, members: User[] = []) {
      const memberships = members.map(user => membershipItem(provider.id, user.id))
      await put(...members.map(userItem), ...memberships, providerItem(provider, members.length))
    },
    list: (request: TestRequest = {}) =>
      call(listSamlProviders, { method: 'GET', resource: '/api/v2/saml', ...request }),
    remove: (id: number | string, request: TestRequest = {}) =>
      call(deleteSamlProvider, {
        method: 'DELETE',
        resource: '/api/v2/saml/providers/{saml_provider_id}',
        pathParameters: { saml_provider_id: String(id) },
        ...request,
      }),
    /** The answers of both functions to an event each, the list first. */
    async answersTo(eventOf: () => unknown, context: object = {}) {
      const answers: ApiAnswer[] = []
      for (const endpoint of [listSamlProviders, deleteSamlProvider])
        answers.push(await invoke(endpoint, eventOf(), context))
      return answers
    },
    items,
    /** The item of the only provider. */
    provider: async () => (await items()).find(({ PK }) => PK === providers.PK) ?? expect.unreachable(),
    /** Deletes an item, as TTL does, or who erases a user. */
    drop: (Key: Key) => client.send(new DeleteCommand({ TableName: tableName, Key })),
    loggedAs: (name: LogEvent) => logged.filter(({ event }) => event === name),
  }
}

function read({ statusCode, headers, body, isBase64Encoded }: ApiAnswer) {
  return answerOf({ statusCode, headers }, Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8'))
}

function readStream({ head, body, isEnded }: FakeResponseStream) {
  if (!isEnded()) throw new Error('the handler returned before its stream ended')
  return answerOf(head(), body())
}

function answerOf({ statusCode, headers = {} }: Partial<Head> = {}, body: Buffer) {
  const text = 'Content-Encoding' in headers ? body : String(body)
  const json = () => JSON.parse(String(text))
  const users = (): User[] => json().data.affected_user
  return {
    status: statusCode ?? 0,
    headers: headers as Record<string, string>,
    text,
    json,
    /** The affected users. */
    users,
    ids: () => users().map(({ id }) => id),
  }
}
