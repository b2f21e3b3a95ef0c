import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { openIssuer } from '../../infra/local/issuer.ts'
import { localFolder, projectRoot } from '../../infra/project-root.ts'
import { codeFolder } from '../../infra/sam/template.ts'
import { oktaId } from '../../infra/sample-data/sample-data.ts'
import { endpointUrls } from '../../infra/serverless/service-definition.ts'
import { freePort } from '../support/machine.ts'
import { type Deployment, mainJob } from '../support/main-job.ts'

/** Runs a program. @returns its output @throws Error when it fails */
const run = (program: string, ...parameters: string[]) =>
  execFileSync(program, parameters, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })

const image = `public.ecr.aws/lambda/nodejs:24-${process.arch === 'arm64' ? 'arm64' : 'x86_64'}`
const needed = {
  'AWS SAM CLI': ['sam', '--version'],
  'a Docker engine with the image that `npm run sam` downloads': ['docker', 'image', 'inspect', image],
  'a pseudo-terminal (`script` of util-linux)': ['script', '--version'],
} as const
const missing = Object.entries(needed).flatMap(([name, [program, ...parameters]]) => {
  try {
    run(program, ...parameters)
    return []
  } catch {
    return [name]
  }
})
if (missing.length > 0)
  process.stdout.write(`test/engines/sam.test.ts is skipped: ${missing.join(', ')} is missing.\n`)

const serves = /Running on http/

/** The containers of the functions. */
const containers = () =>
  run('docker', 'ps', '--all', '--quiet', '--filter', `volume=${codeFolder}`).split('\n').filter(Boolean)

/** Runs `npm run sam` on a pseudo-terminal until it prints this, with AWS settings that it must not use. */
async function openTerminal(until: RegExp) {
  const [port, tablePort] = [await freePort(), await freePort()]
  const command = `npm run sam -- --port ${port} --table-port ${tablePort}`
  const terminal = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    cwd: projectRoot,
    stdio: ['pipe', 'pipe', 'inherit'],
    env: {
      ...process.env,
      SAM_SKIP_PULL_IMAGE: '1', // the tests use no network
      ...{ AWS_PROFILE: 'no-such', AWS_REGION: 'us-west-2', AWS_ACCESS_KEY_ID: 'callers-own' },
    },
  })
  let printed = ''
  terminal.stdin.on('error', () => {}) // it may have ended
  terminal.stdout.on('data', chunk => {
    printed += chunk
  })
  const closed = once(terminal, 'close')
  await Promise.race([
    vi.waitFor(() => expect(printed).toMatch(until), { timeout: 120_000 }),
    closed.then(() => Promise.reject(new Error(`It ended with the output: ${printed}`))),
  ])
  const [, table = ''] = /embedded DynamoDB at (\S+)/.exec(printed) ?? []
  /** Resolves when its table is gone, which is its last step; npm may end earlier. */
  const ended = () => vi.waitFor(() => expect(fetch(table)).rejects.toThrow(), { timeout: 60_000 })
  return {
    url: `http://127.0.0.1:${port}`,
    type: (keys: string) => terminal.stdin.write(keys),
    hangUp: () => terminal.kill('SIGKILL'),
    ended,
    async close() {
      terminal.stdin.write('\x03')
      await ended()
      await closed
    },
  }
}

type Terminal = Awaited<ReturnType<typeof openTerminal>>

describe.skipIf(missing.length > 0)('npm run sam on a terminal', { timeout: 180_000 }, () => {
  describe('while it serves', () => {
    let sam: Terminal
    let deployment: Deployment
    beforeAll(async () => {
      sam = await openTerminal(serves)
      const { tokenFor } = await openIssuer(localFolder)
      deployment = { ...endpointUrls(sam.url), tokenFor, coding: null }
    }, 180_000)
    afterAll(() => sam.close())

    mainJob(() => deployment)

    test.each(['*/*', '', 'text/html'])('sends a client that accepts %j readable JSON', async accept => {
      const authorization = `Authorization: Bearer ${await deployment.tokenFor()}`
      // Unlike fetch, curl can omit Accept.
      const headers = [authorization, `Accept: ${accept}`.trim(), 'Accept-Encoding: gzip']
      const words = ['--silent', '--request', 'DELETE', ...headers.flatMap(line => ['--header', line])]
      const body = run('curl', ...words, `${deployment.deleteUrl}${oktaId}`)
      expect(JSON.parse(body).data.affected_user).toHaveLength(9)
    })

    test("runs containers without the caller's AWS settings", () => {
      const environment = run('docker', 'inspect', '--format', '{{json .Config.Env}}', ...containers())
      expect(environment).toContain('AWS_ENDPOINT_URL_DYNAMODB')
      expect(environment).not.toMatch(/callers-own|us-west-2/)
    })
  })

  test.each([
    ['Ctrl-C', (sam: Terminal) => sam.type('\x03')],
    ['Ctrl-C twice', (sam: Terminal) => sam.type('\x03\x03')],
    ['a hang-up of the terminal', (sam: Terminal) => sam.hangUp()],
  ])('removes all containers after %s', async (_, end) => {
    const sam = await openTerminal(serves)
    onTestFinished(() => sam.close())
    expect(containers()).not.toEqual([])
    end(sam)
    await sam.ended()
    expect(containers()).toEqual([])
    await expect(fetch(sam.url)).rejects.toThrow()
  })

  test('removes all containers when it is interrupted while SAM CLI creates them', async () => {
    const sam = await openTerminal(/TOKEN=/)
    onTestFinished(() => sam.close())
    await vi.waitFor(() => expect(containers()).not.toEqual([]), { timeout: 60_000, interval: 20 })
    sam.type('\x03')
    await sam.ended()
    expect(containers()).toEqual([])
  })
})
