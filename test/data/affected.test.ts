import { createServer } from 'node:http'
import { devNull } from 'node:os'
import { afterEach, describe, expect, inject, onTestFinished, test, vi } from 'vitest'
import { affected } from '../../infra/data/affected.ts'
import { freePort, listen } from '../../infra/local/listen.ts'
import { sampleProvider, sampleUser } from '../support/samples.ts'
import { world } from '../support/world.ts'

const run = (table?: string, provider?: string) => runAt(inject('dynamodbEndpoint'), table, provider)

async function runAt(endpoint: string, table?: string, provider?: string) {
  vi.stubEnv('DYNAMODB_ENDPOINT', endpoint)
  const written: string[] = []
  const progress: string[] = []
  await affected(
    { table, provider },
    text => written.push(text),
    line => progress.push(line),
  )
  return { text: written.join(''), progress }
}

afterEach(() => void vi.unstubAllEnvs())

describe('npm run data -- affected', () => {
  test('prints what the DELETE answered, to the letter', async () => {
    const w = await world()
    const members = Array.from({ length: 250 }, (_, n) => sampleUser(n, { saml: 7 }))
    await w.putProvider(sampleProvider(7), members)
    const answer = await w.remove(7)
    const { text, progress } = await run(w.tableName, '7')
    expect(text).toBe(`${answer.text}\n`)
    expect(progress).toEqual(['250 of 250 users'])
  })

  test('says that a removal is unfinished', async () => {
    const w = await world()
    await w.putProvider(sampleProvider(7), [sampleUser(1, { saml: 7 })])
    const provider = (await w.items()).find(item => item.PK === 'SAML_PROVIDERS')
    await w.put({ ...provider, state: 'removing' })
    const { progress } = await run(w.tableName, '7')
    expect(progress[0]).toBe('The removal is unfinished, 0 of 1 users are unlinked: the same DELETE goes on.')
  })

  test('prints nothing of a provider that is active or unknown', async () => {
    const w = await world()
    await w.putProvider(sampleProvider(7))
    await expect(run(w.tableName, '7')).rejects.toThrow('Provider 7 is active')
    await expect(run(w.tableName, '8')).rejects.toThrow('There is no provider 8')
  })

  test.each([
    [[undefined, '7'], '--table is missing'],
    [['t'], '--provider must be the id'],
    [['t', '07'], '--provider must be the id'],
  ])('refuses %j', async (args, sentence) => {
    await expect(run(...args)).rejects.toThrow(sentence)
  })

  const nope = ['nope', '7']

  test('says that there is no such table', async () => {
    await expect(run(...nope)).rejects.toThrow(`There is no table nope at ${inject('dynamodbEndpoint')}.`)
  })

  test('says that there is no DynamoDB', async () => {
    const nobody = `http://127.0.0.1:${await freePort()}`
    await expect(runAt(nobody, ...nope)).rejects.toThrow(
      `The DynamoDB at ${nobody} does not do its work: ECONNREFUSED.`,
    )
    await expect(runAt('garbage', ...nope)).rejects.toThrow('DYNAMODB_ENDPOINT must be a URL')
  })

  test.each([
    [200, '<html>'],
    [404, '<html>'],
    [404, ''],
  ])('says that what answers %i "%s" is none', async (status, body) => {
    const server = createServer((_, response) => response.writeHead(status).end(body))
    const url = `http://127.0.0.1:${await listen(server, 0)}`
    onTestFinished(() => void server.close().closeAllConnections())
    await expect(runAt(url, ...nope)).rejects.toThrow(`The server at ${url} does not answer as a DynamoDB.`)
  })

  test('says what to set where nothing is', async () => {
    for (const name of ['AWS_REGION', 'AWS_PROFILE']) vi.stubEnv(name, undefined)
    for (const name of ['AWS_CONFIG_FILE', 'AWS_SHARED_CREDENTIALS_FILE']) vi.stubEnv(name, devNull)
    await expect(runAt('', ...nope)).rejects.toThrow(
      'Set AWS_REGION, or DYNAMODB_ENDPOINT for a local table.',
    )
  })
})
