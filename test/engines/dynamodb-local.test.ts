import { afterAll, beforeAll, describe } from 'vitest'
import { type LocalStack, startLocalStack } from '../../infra/local/stack.ts'
import { mainJob, type Deployment } from './main-job.ts'

const dynamodbEndpoint = process.env.DYNAMODB_ENDPOINT
if (dynamodbEndpoint === undefined)
  process.stdout.write('test/engines/dynamodb-local.test.ts is skipped: DYNAMODB_ENDPOINT is not set.\n')

describe.skipIf(dynamodbEndpoint === undefined)('the service on the DynamoDB of DYNAMODB_ENDPOINT', () => {
  let stack: LocalStack
  let deployment: Deployment
  beforeAll(async () => {
    stack = await startLocalStack({ port: 0, dynamodbEndpoint, log: () => {} })
    const listUrl = `${stack.url}/api/v2/saml`
    deployment = { listUrl, deleteUrl: `${listUrl}/providers/`, tokenFor: stack.tokenFor }
  })
  afterAll(() => stack.stop())

  mainJob(() => deployment, 'br')
})
