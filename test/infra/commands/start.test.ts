import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { expect, inject, onTestFinished, test } from 'vitest'
import { openIssuer } from '../../../infra/local/issuer.ts'
import { projectRoot } from '../../../infra/project-root.ts'
import { curlLines } from '../../../infra/sample-data/curl-lines.ts'
import { copyOfProject } from '../../support/machine.ts'

/** Runs `npm start` in a copy until it is ready. */
async function startIn(folder: string, options: string[], env: Record<string, string> = {}) {
  const start = spawn(process.execPath, ['infra/check-node.cjs', 'infra/commands/start.ts', ...options], {
    cwd: folder,
    env: { PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = once(start, 'exit')
  const stderr = text(start.stderr)
  onTestFinished(async () => {
    start.kill('SIGKILL')
    await exited
  })
  const output = createInterface(start.stdout)[Symbol.asyncIterator]()
  const lines: string[] = []
  /** Resolves with the line that matches, which has been printed or will be. */
  const line = async (wanted: RegExp): Promise<string> => {
    for (;;) {
      const index = lines.findIndex(printed => wanted.test(printed))
      if (index !== -1) return String(lines.splice(index, 1))
      const { value, done } = await output.next()
      if (done) throw new Error(`npm start has exited without ${wanted}: ${await stderr}`)
      lines.push(value)
    }
  }
  const url = (await line(/^ready /)).slice(6)
  return {
    url,
    line,
    lines,
    /** Its exit code, when it has ended, and what it printed on standard error. */
    ended: async () => ({ code: (await exited)[0], stderr: await stderr }),
    stop: () => start.kill('SIGTERM'),
  }
}

test('npm start has an edit in the next answer', async () => {
  const folder = copyOfProject()
  const { url, line, lines, stop, ended } = await startIn(folder, [], {
    DYNAMODB_ENDPOINT: inject('dynamodbEndpoint'),
  })
  await line(new RegExp(`^table +\\S+ in the DynamoDB at ${inject('dynamodbEndpoint')}$`))
  const detail = async () => JSON.parse(await (await fetch(`${url}/api/v2/saml`)).text()).detail
  const source = join(folder, 'lib/http/problem.ts')
  const original = readFileSync(source, 'utf8')
  const edit = (words: string) => writeFileSync(source, original.replace('Send one Authorization', words))
  const request = /^GET {4}\/api\/v2\/saml 401 \d+ ms credentials_missing$/

  expect(await detail()).toMatch(/^Send one Authorization header/)
  await line(request)
  edit('Edited: send one')
  expect(await detail()).toMatch(/^Edited: /)
  await line(/^reload {5}the functions were loaded again/)
  await line(request)
  edit("wrong' +")
  expect(await detail()).toMatch(/^Edited: /)
  await line(/^reload {5}failed, the last functions stay: /)
  await line(/^lib\/http\/problem\.ts:\d+:\d+: ERROR: /)

  edit('Corrected: send one')
  expect(await detail()).toMatch(/^Corrected: /)

  stop()
  expect(await ended()).toEqual({ code: 0, stderr: '' })
  expect(lines.filter(printed => printed.startsWith('{'))).toEqual([]) // log events are printed on request alone
  expect(readdirSync(join(folder, '.build/local'))).toEqual([])
})

test('npm start ends with the place of an error outside a request', async () => {
  const folder = copyOfProject()
  const sunsetAt = '2031-06-30T00:00:00Z'
  const {
    url,
    line: printed,
    lines,
    ended,
  } = await startIn(
    folder,
    ['--empty', '--log-events', '--param', 'maxWaitSeconds=9', '--param', `sunsetAt=${sunsetAt}`],
    {
      AWS_PROFILE: 'no-such', // the functions have no variables of the process
    },
  )
  expect(lines.join('\n')).toMatch(/-X DELETE \S+\/ID\b/) // there is no provider to name
  const token = await (await openIssuer(join(folder, '.local'))).tokenFor() // as `npm run token` prints it
  const list = await fetch(`${url}/api/v2/saml`, {
    headers: { authorization: `Bearer ${token}`, prefer: 'wait=28' },
  })
  expect(await list.json()).toEqual({ data: { saml_providers: [] } })
  expect(list.headers.get('sunset')).toBe('Mon, 30 Jun 2031 00:00:00 GMT')
  expect(list.headers.get('preference-applied')).toBe('wait=9')
  await printed(/^\{"timestamp":.*"event":"request_answered"/)
  const source = join(folder, 'lib/metrics.ts')
  const line = readFileSync(source, 'utf8').split('\n').length
  appendFileSync(source, "Promise.reject(new Error('rejected'))\n")
  await fetch(`${url}/api/v2/saml`).catch(() => {})
  const place = new RegExp(`Error: rejected\n +at .*lib/metrics\\.ts:${line}:16\\)?\n`)
  expect(await ended()).toEqual({ code: 1, stderr: expect.stringMatching(place) })
})

test.each([
  ['shortened by jq', true, '<-sS>', ' in jq'],
  ['on a line of its own without jq', false, String.raw`<-w><\\n>`, ''],
])('the lines to paste get the answer of each endpoint %s', (_, hasJq, option, end) => {
  const [, lines = ''] = curlLines('http://list', 'http://delete/', undefined, hasJq).split('\n\n')
  expect(lines.trim().split('\n')).toHaveLength(3)
  const script = `curl() { printf '<%s>' "$@"; echo; }\njq() { echo "$(cat) in jq"; }\n${lines}`
  const first = String.raw`${option}<-H><Authorization: Bearer [\w-]+\.[\w-]+\.[\w-]+>`
  expect(execFileSync('bash', ['-c', script], { cwd: projectRoot, encoding: 'utf8' })).toMatch(
    new RegExp(`^${first}<http://list>${end}\n${first}<-X><DELETE><http://delete/1>${end}\n$`),
  )
})

const problem = '{"status":404,"code":"provider_not_found"}'
const jqIsMissing = spawnSync('jq', ['--version']).error !== undefined
if (jqIsMissing) process.stdout.write('What jq shortens of an answer is skipped: jq is missing.\n')

test.skipIf(jqIsMissing).each([
  ['{"data":{"saml_providers":[{"display_name":"Okta"},{"display_name":"AD FS"}]}}', '"Okta"\n"AD FS"\n'],
  ['{"data":{"affected_user":[{"principal_name":"ada"},{"principal_name":"ben"}]}}', '"ada"\n"ben"\n'],
  ['{"data":{"affected_user":[]}}', '{"data":{"affected_user":[]}}\n'],
  [problem, `${problem}\n`],
])('the lines to paste print a provider or user a line, and all else whole: %s', (answer, printed) => {
  const [, lines = ''] = curlLines('http://list', 'http://delete/', undefined, true).split('\n\n')
  const script = `npm() { :; }\ncurl() { printf '%s' "$ANSWER"; }\n${lines}`
  const env = { ...process.env, ANSWER: answer }
  expect(execFileSync('bash', ['-c', script], { encoding: 'utf8', env })).toBe(printed.repeat(2))
})
