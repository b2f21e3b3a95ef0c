import { CreateChangeSetCommand } from '@aws-sdk/client-cloudformation'
import { afterEach, beforeEach, expect, inject, test, vi } from 'vitest'
import { connectToAws } from '../../../infra/serverless/aws.ts'
import { removeStack } from '../../../infra/serverless/remove-stack.ts'
import { findStack, stackNameOf } from '../../../infra/serverless/stack.ts'
import { type FakeAws, startFakeAws } from './fake-aws/fake-aws.ts'

const place = { region: 'eu-central-1' }
let aws: FakeAws

beforeEach(async () => {
  aws = await startFakeAws(inject('dynamodbEndpoint'))
  vi.stubEnv('AWS_ENDPOINT_URL', aws.url)
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'key')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret')
})
afterEach(() => {
  vi.unstubAllEnvs()
  aws.stop()
})

async function existingStack() {
  const creation = { StackName: stackNameOf('dev'), ChangeSetName: 'first', TemplateBody: '{}' }
  await connectToAws(place).cloudFormation.send(new CreateChangeSetCommand(creation))
  const stack = await findStack(place, 'dev')
  if (stack === undefined) throw new Error('the stack was not created')
  return stack
}

test.each([
  [{ status: 'DELETE_FAILED', reason: 'The role is in use.' }, '(DELETE_FAILED): The role is in use.'],
  [{ status: 'DELETE_FAILED' }, '(DELETE_FAILED): AWS gives no reason'],
  [
    { status: 'DELETE_IN_PROGRESS' },
    '(DELETE_IN_PROGRESS): AWS has not finished within 2 s; run the command again to wait longer.',
  ],
])('a removal that ends with %j is reported with its reason', async (deletion, reason) => {
  const stack = await existingStack()
  aws.account.deletion = deletion
  await expect(removeStack(place, stack, 2)).rejects.toThrow(
    `The stack deprecated-saml-endpoints-dev is not removed ${reason}`,
  )
})
