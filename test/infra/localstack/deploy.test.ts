import { expect, onTestFinished, test, vi } from 'vitest'
import { command } from '../../../infra/commands/deploy-localstack.ts'
import { checkLocalStack } from '../../../infra/localstack/deploy.ts'
import { freePort } from '../../support/free-port.ts'
import { serverOf } from '../../support/server-of.ts'
import { refusalOf } from '../commands/refusal-of.ts'

test('a deployment where nothing answers is refused in one sentence, by an address and not by a name', async () => {
  const port = await freePort()
  onTestFinished(() => void vi.unstubAllEnvs())
  vi.stubEnv('AWS_ENDPOINT_URL', `http://localhost:${port}/`)
  expect(await refusalOf(command)).toBe(
    `LocalStack does not answer at http://127.0.0.1:${port}: start it, or set AWS_ENDPOINT_URL to its URL.\n`,
  )
})

test('another server at the endpoint is refused', async () => {
  const url = await serverOf((_, response) => response.writeHead(404).end())
  await expect(checkLocalStack(url)).rejects.toThrow(`LocalStack does not answer at ${url}: start it,`)
})
