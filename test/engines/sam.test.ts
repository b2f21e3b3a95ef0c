import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { openIssuer } from '../../infra/local/issuer.ts'
import { localFolder } from '../../infra/project-root.ts'
import { curl, missingOf, run } from './programs.ts'
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

describe.skipIf(missing.length > 0)('npm run sam on a terminal', { timeout: 180_000 }, () => {
  describe('when it is ready', () => {
    let sam: Terminal
    let token = ''
    let okta: Buffer
    beforeAll(async () => {
      sam = await openTerminal()
      token = await (await openIssuer(localFolder)).tokenFor()
    }, 180_000)
    afterAll(() => sam.close())

    const send = (path: string, method = 'GET', more: Record<string, string> = {}) =>
      curl(`${sam.url}/api/v2/saml${path}`, method, { authorization: `Bearer ${token}`, ...more })

    test('has passed the smoke test, except for the gaps of SAM CLI', () => {
      expect(sam.printed()).toContain('/api/v2/saml is healthy, except for the gaps of SAM CLI.')
      expect(sam.printed()).not.toContain('FAIL')
    })

    test('lists the four providers', () => {
      const { status, body } = send('')
      expect(status).toBe(200)
      const names = JSON.parse(String(body)).data.saml_providers.map((one: { name: string }) => one.name)
      expect(names).toHaveLength(4)
      expect(names[0]).toBe('okta')
    })

    test('removes Okta, answers with its nine users, and repeats the answer', () => {
      const removed = send('/providers/1', 'DELETE')
      expect(removed.status).toBe(200)
      expect(JSON.parse(String(removed.body)).data.affected_user).toHaveLength(9)
      okta = removed.body
      expect(send('/providers/1', 'DELETE').body).toEqual(okta)
      expect(JSON.parse(String(send('').body)).data.saml_providers).toHaveLength(3)
    })

    test.each([
      ['br', brotliDecompressSync],
      ['gzip', gunzipSync],
    ])('sends an answer compressed with %s as bytes', (coding, decompress) => {
      const { headers, body } = send('/providers/1', 'DELETE', { 'accept-encoding': coding })
      expect(headers['content-encoding']).toBe(coding)
      expect(decompress(body)).toEqual(okta)
    })

    test.each(['', 'text/html'])('sends an uncompressed answer to a client that accepts %j', accept => {
      const { headers, body } = send('/providers/1', 'DELETE', { 'accept-encoding': 'gzip', accept })
      expect(headers['content-encoding']).toBeUndefined()
      expect(body).toEqual(okta)
    })

    test.each([
      [401, 'credentials_missing', '/providers/2', { authorization: '' }],
      [401, 'token_rejected', '/providers/2', { authorization: 'Bearer a.b.c' }],
      [404, 'provider_not_found', '/providers/77', {}],
      [503, 'wait_expired', '/providers/2', { prefer: 'wait=0' }],
    ])('answers %i %s for %s with %j', (status, code, path, headers) => {
      const answer = send(path, 'DELETE', headers)
      expect([answer.status, JSON.parse(String(answer.body)).code]).toEqual([status, code])
    })

    test('applies a wait from the time of the request, not from the start of SAM CLI', () => {
      const { status, headers } = send('/providers/2', 'DELETE', { prefer: 'wait=10' })
      expect([status, headers['preference-applied']]).toEqual([200, 'wait=10'])
    })

    test("answers an unknown path with SAM CLI's own body", () => {
      const { status, body } = send('/nothing')
      expect([status, JSON.parse(String(body))]).toEqual([403, { message: 'Missing Authentication Token' }])
    })

    test("runs containers without the caller's AWS settings", () => {
      const containers = sam.containers()
      expect(containers).not.toEqual([])
      const environment = run('docker', 'inspect', '--format', '{{json .Config.Env}}', ...containers)
      expect(environment).toContain('AWS_ENDPOINT_URL_DYNAMODB')
      expect(environment).not.toMatch(/callers-own|us-west-2/)
    })

    test("has a template without a finding of SAM CLI's linter", () => {
      const template = join(sam.folder, 'template.yml')
      expect(run('sam', 'validate', '--lint', '--template', template, '--region', 'eu-central-1')).toContain(
        'is a valid SAM Template',
      )
    })
  })

  test.each([
    ['Ctrl-C', (sam: Terminal) => sam.type('\x03')],
    ['Ctrl-C twice', (sam: Terminal) => sam.type('\x03\x03')],
    ['a hang-up of the terminal', (sam: Terminal) => sam.hangUp()],
  ])('removes all containers after %s', async (_, end) => {
    const sam = await openTerminal()
    onTestFinished(() => sam.close())
    expect(sam.containers()).not.toEqual([])
    end(sam)
    await sam.ended()
    expect(sam.containers()).toEqual([])
    expect(() => curl(sam.url, 'GET', {})).toThrow()
  })

  test('removes all containers when it is interrupted while SAM CLI creates them', async () => {
    const sam = await openTerminal(/SAM CLI {4}starting/)
    onTestFinished(() => sam.close())
    await vi.waitFor(() => expect(sam.containers()).not.toEqual([]), { timeout: 60_000, interval: 20 })
    sam.type('\x03')
    await sam.ended()
    expect(sam.containers()).toEqual([])
  })
})
