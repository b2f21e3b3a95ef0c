import { devNull } from 'node:os'
import { afterEach, describe, expect, inject, test, vi } from 'vitest'
import { type Data, withData } from '../../infra/data/open-data.ts'
import { Failure } from '../../lib/domain/failure.ts'
import { allProviders } from '../../lib/store/providers.ts'
import { captured, freePort, serverOf } from '../support/machine.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { never } from './scenario.ts'

afterEach(() => void vi.unstubAllEnvs())

const setVariables = (values: Record<string, string | undefined>) => {
  for (const [name, value] of Object.entries(values)) vi.stubEnv(name, value)
}

async function open(
  work: (data: Data) => Promise<unknown> = data => allProviders(data.table, never),
  // Time jumps over pauses, and not to the time limit of an answer.
  clock = fakeClock(undefined, 1000),
) {
  return captured(() => clock.moving(withData('accounts', never, work, clock)))
}

/** Opens a table of AWS, as which a server stands in that answers each call with this error. */
async function openOnAws(name: string, message: string) {
  const body = JSON.stringify({ __type: `com.amazon.coral.service#${name}`, message })
  const url = await serverOf((_, response) => response.writeHead(400).end(body))
  setVariables({ AWS_ACCESS_KEY_ID: 'any', AWS_SECRET_ACCESS_KEY: 'any', AWS_REGION: 'eu-central-1' })
  setVariables({ AWS_ENDPOINT_URL: url, DYNAMODB_ENDPOINT: undefined })
  return open()
}

describe('a command on AWS', () => {
  // The names are those of "Common Errors" in the DynamoDB API Reference; the texts are shortened.
  test.each([
    ['ResourceNotFoundException', 'It is not there', 'There is no table accounts in eu-central-1.'],
    [
      'AccessDeniedException',
      'User: x is not authorized to perform: dynamodb:Query.',
      'User: x is not authorized to perform: dynamodb:Query. Give your credentials the right to do this on the table accounts in eu-central-1.',
    ],
    ['ExpiredTokenException', 'It is expired', 'No AWS credentials can be used: It is expired.'],
    ['ValidationException', 'The key is wrong.\nReally.', 'The key is wrong.'],
  ])('says in one line an error %s', async (name, message, line) => {
    expect(await openOnAws(name, message)).toEqual({ code: 1, stdout: '', stderr: `${line}\n` })
  })

  test('says in one line that there are no credentials', async () => {
    setVariables({ AWS_CONFIG_FILE: devNull, AWS_SHARED_CREDENTIALS_FILE: devNull, AWS_PROFILE: undefined })
    setVariables({ AWS_ACCESS_KEY_ID: undefined, AWS_SECRET_ACCESS_KEY: undefined })
    setVariables({
      AWS_EC2_METADATA_DISABLED: 'true',
      AWS_REGION: 'eu-central-1',
      DYNAMODB_ENDPOINT: undefined,
    })
    expect((await open()).stderr).toMatch(/^No AWS credentials can be used: [^\n]+\.\n$/)
  })
})

describe('a command on a local DynamoDB', () => {
  test('says in one line that a change met other writers too often', async () => {
    vi.stubEnv('DYNAMODB_ENDPOINT', inject('dynamodbEndpoint'))
    const { stderr } = await open(async () => {
      throw new Failure('table_busy', {}, new Error('other writers interfered 20 times'))
    })
    expect(stderr).toBe('other writers interfered 20 times.\n')
  })

  test.each<[string, () => Promise<string>, RegExp]>([
    ['does not answer', () => serverOf(() => {}), /TimeoutError/],
    ['is not there', async () => `http://127.0.0.1:${await freePort()}`, /ECONNREFUSED/],
    [
      'is a web server',
      () => serverOf((_, response) => response.writeHead(200).end('<html>')),
      /SyntaxError/,
    ],
  ])('says in one line within 5 s that the server %s', async (fault, start, reason) => {
    const url = await start()
    vi.stubEnv('DYNAMODB_ENDPOINT', url)
    const clock = fault === 'does not answer' ? fakeClock(undefined, 5000) : undefined
    const { code, stderr } = await open(undefined, clock)
    const line = new RegExp(
      `^No DynamoDB answers at ${url} \\(${reason.source}\\): check DYNAMODB_ENDPOINT\\.\n$`,
    )
    expect([code, stderr]).toEqual([1, expect.stringMatching(line)])
  })
})
