import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { openIssuer } from '../../infra/local/issuer.ts'
import { localFolder } from '../../infra/project-root.ts'
import { oktaId } from '../../infra/sample-data/sample-data.ts'
import { endpointUrls } from '../../infra/serverless/service-definition.ts'
import { type Deployment, mainJob } from './main-job.ts'
import { missingOf, run } from './programs.ts'
import { openTerminal, type Terminal } from './terminal.ts'

const architecture = process.arch === 'arm64' ? 'arm64' : 'x86_64'
const missing = missingOf({
  'AWS SAM CLI': ['sam', '--version'],
  'a Docker engine with the image that `npm run sam` downloads': [
    'docker',
    'image',
    'inspect',
    `public.ecr.aws/lambda/nodejs:24-${architecture}`,
  ],
  'a pseudo-terminal (`script` of util-linux)': ['script', '--version'],
})
if (missing.length > 0)
  process.stdout.write(`test/engines/sam.test.ts is skipped: ${missing.join(', ')} is missing.\n`)

const serves = /Running on http/

describe.skipIf(missing.length > 0)('npm run sam on a terminal', { timeout: 180_000 }, () => {
  describe('while it serves', () => {
    let sam: Terminal
    let deployment: Deployment
    beforeAll(async () => {
      sam = await openTerminal(serves)
      const { tokenFor } = await openIssuer(localFolder)
      deployment = { ...endpointUrls(sam.url), tokenFor }
    }, 180_000)
    afterAll(() => sam.close())

    test('has printed lines that call it', () => {
      expect(sam.printed()).toContain('TOKEN=$(npm run --silent token)')
      expect(sam.printed()).toContain(`${endpointUrls(sam.url).deleteUrl}${oktaId}`)
    })

    mainJob(() => deployment)

    test.each(['*/*', '', 'text/html'])('sends a client that accepts %j readable JSON', async accept => {
      const authorization = `Authorization: Bearer ${await deployment.tokenFor()}`
      // Unlike fetch, curl can omit Accept.
      const headers = [authorization, `Accept: ${accept}`.trim(), 'Accept-Encoding: gzip']
      const words = ['--silent', '--request', 'DELETE', ...headers.flatMap(line => ['--header', line])]
      const body = run('curl', ...words, `${deployment.deleteUrl}${oktaId}`)
      expect(JSON.parse(body).data.affected_user).toHaveLength(9)
    })

    test("answers an unknown path with SAM CLI's own body", async () => {
      const response = await fetch(`${sam.url}/nothing`)
      const body = { message: 'Missing Authentication Token' }
      expect([response.status, await response.json()]).toEqual([403, body])
    })

    test("runs containers without the caller's AWS settings", () => {
      const containers = sam.containers()
      expect(containers).not.toEqual([])
      const environment = run('docker', 'inspect', '--format', '{{json .Config.Env}}', ...containers)
      expect(environment).toContain('AWS_ENDPOINT_URL_DYNAMODB')
      expect(environment).not.toMatch(/callers-own|us-west-2/)
    })

    test("has a template without a finding of SAM CLI's linter", () => {
      const [, template = ''] = /template {3}(\S.*\S)/.exec(sam.printed()) ?? []
      const words = ['validate', '--lint', '--template', template, '--region', 'eu-central-1']
      expect(run('sam', ...words)).toContain('is a valid SAM Template')
    })
  })

  test.each([
    ['Ctrl-C', (sam: Terminal) => sam.type('\x03')],
    ['Ctrl-C twice', (sam: Terminal) => sam.type('\x03\x03')],
    ['a hang-up of the terminal', (sam: Terminal) => sam.hangUp()],
  ])('removes all containers after %s', async (_, end) => {
    const sam = await openTerminal(serves)
    onTestFinished(() => sam.close())
    expect(sam.containers()).not.toEqual([])
    end(sam)
    await sam.ended()
    expect(sam.containers()).toEqual([])
    await expect(fetch(sam.url)).rejects.toThrow()
  })

  test('removes all containers when it is interrupted while SAM CLI creates them', async () => {
    const sam = await openTerminal(/TOKEN=/)
    onTestFinished(() => sam.close())
    await vi.waitFor(() => expect(sam.containers()).not.toEqual([]), { timeout: 60_000, interval: 20 })
    sam.type('\x03')
    await sam.ended()
    expect(sam.containers()).toEqual([])
  })
})
