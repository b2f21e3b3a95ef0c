import type { IncomingMessage } from 'node:http'
import { vi } from 'vitest'
import { type Data, withData } from '../../infra/data/open-data.ts'
import { captured } from '../support/captured.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { serverOf } from '../support/server-of.ts'
import { never } from './scenario.ts'

/** Time jumps over pauses, and not to the time limit of an answer. */
export const newClock = () => fakeClock(undefined, 1000)

/** The answers to the calls with which a command begins. */
export const described = {
  DescribeTable: {
    Table: {
      KeySchema: [{ AttributeName: 'PK' }, { AttributeName: 'SK' }],
      AttributeDefinitions: [
        { AttributeName: 'PK', AttributeType: 'S' },
        { AttributeName: 'SK', AttributeType: 'S' },
      ],
    },
  },
  DescribeTimeToLive: {
    TimeToLiveDescription: { TimeToLiveStatus: 'ENABLED', AttributeName: 'expires_at' },
  },
}

const actionOf = ({ headers }: IncomingMessage) => String(headers['x-amz-target']).replace(/^.*\./, '')

/** Opens a table of AWS, as which a server stands in, with the answers to some calls. */
export async function openOnAws(
  answers: Record<string, object>,
  work = async (_: Data): Promise<unknown> => undefined,
) {
  const url = await serverOf((request, response) => {
    const answer = answers[actionOf(request)] ?? denied(actionOf(request))
    response.writeHead('__type' in answer ? 400 : 200).end(JSON.stringify(answer))
  })
  stubAws(url)
  const clock = newClock()
  return captured(() => clock.moving(withData('accounts', never, work, clock)))
}

/** The environment of a user of AWS, as which a server stands in. */
export function stubAws(url: string) {
  const keys = { AWS_ACCESS_KEY_ID: 'any', AWS_SECRET_ACCESS_KEY: 'any' }
  for (const [name, value] of Object.entries({ ...keys, AWS_REGION: 'eu-central-1', AWS_ENDPOINT_URL: url }))
    vi.stubEnv(name, value)
  vi.stubEnv('DYNAMODB_ENDPOINT', undefined)
}

export const errorOf = (name: string, message: string) => ({
  __type: `com.amazon.coral.service#${name}`,
  message,
})
const denied = (action: string) =>
  errorOf('AccessDeniedException', `User: x is not authorized to perform: dynamodb:${action}`)
