import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { ListTablesCommand } from '@aws-sdk/client-dynamodb'
import { GetCommand } from '@aws-sdk/lib-dynamodb'
import { expect, inject, onTestFinished, test } from 'vitest'
import { connectTo } from '../../../infra/dynamodb/client.ts'
import { startEngine } from '../../../infra/dynamodb/engine.ts'
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
      const index = lines.findIndex(one => wanted.test(one))
      if (index !== -1) return String(lines.splice(index, 1))
      const { value, done } = await output.next()
      if (done) throw new Error(`npm start has exited without ${wanted}: ${await stderr}`)
      lines.push(value)
    }
  }
  const url = (await line(/^ready /)).slice(6)
  return {
    pid: Number(start.pid),
    url,
    line,
    /** Its exit code, when it has ended, and what it printed on standard error. */
    ended: async () => ({ code: (await exited)[0], stderr: await stderr }),
    stop: () => start.kill('SIGTERM'),
  }
}

test('npm start has an edit in the next answer', async () => {
  const folder = copyOfProject()
  const { url, line, stop, ended } = await startIn(folder, [], {
    DYNAMODB_ENDPOINT: inject('dynamodbEndpoint'),
    SUNSET_AT: 'no time', // the functions have no variables of the process
  })
  await line(new RegExp(`^table +\\S+ in the DynamoDB at ${inject('dynamodbEndpoint')}$`))
  const detail = async () => JSON.parse(await (await fetch(`${url}/api/v2/saml`)).text()).detail
  const source = join(folder, 'lib/http/problem.ts')
  const original = readFileSync(source, 'utf8')
  const edit = (words: string) => writeFileSync(source, original.replace('Send one Authorization', words))
  const request = /^GET {8}\/api\/v2\/saml 401 credentials_missing \d+ ms$/

  expect(await detail()).toMatch(/^Send one Authorization header/)
  await line(/^\{"timestamp":.*"event":"request_answered"/)
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
  expect(readdirSync(join(folder, '.build/local'))).toEqual([])
})

test('npm start stops with the place of an error outside a request', async () => {
  const folder = copyOfProject()
  const { url, line: printed, ended } = await startIn(folder, ['--empty'])
  await printed(/-X DELETE \S+\/ID\b/) // there is no provider to name
  const source = join(folder, 'lib/metrics.ts')
  const line = readFileSync(source, 'utf8').split('\n').length
  appendFileSync(source, "Promise.reject(new Error('rejected'))\n")
  await fetch(`${url}/api/v2/saml`).catch(() => {})
  expect(await ended()).toEqual({
    code: 1,
    stderr: expect.stringMatching(new RegExp(`^Error: rejected\n +at .*lib/metrics\\.ts:${line}:16\\)?\n`)),
  })
  expect(readdirSync(join(folder, '.build/local'))).toEqual([])
})

// A process that may not make a file larger (RLIMIT_FSIZE) gets an error of each write, as on a full disk.
test.skipIf(process.platform !== 'linux')(
  'npm start --keep keeps all that was answered when the disk is full',
  async () => {
    const folder = copyOfProject()
    const { pid, url, ended } = await startIn(folder, ['--keep'])
    const { tokenFor } = await openIssuer(join(folder, '.local'))
    const headers = { authorization: `Bearer ${await tokenFor()}` }
    const remove = (id: number) => fetch(`${url}/api/v2/saml/providers/${id}`, { method: 'DELETE', headers })
    expect(await remove(3)).toMatchObject({ status: 200 })
    execFileSync('prlimit', ['--pid', `${pid}`, '--fsize=0:'])
    await expect(remove(1)).rejects.toThrow()
    const remedy = 'cannot be used: it is larger than this user may write; raise the limit with ulimit -f'
    expect(await ended()).toEqual({
      code: 1,
      stderr: expect.stringMatching(new RegExp(`^${folder}/\\.local/dynamodb/\\d+\\.log ${remedy}\\.\n$`)),
    })
    expect(readdirSync(join(folder, '.build/local'))).toEqual([])

    const { endpoint, stop } = await startEngine({ path: join(folder, '.local/dynamodb') })
    onTestFinished(stop)
    const client = connectTo(endpoint)
    const { TableNames: [TableName] = [] } = await client.send(new ListTablesCommand())
    const Key = { PK: 'SAML_PROVIDERS', SK: 'PROVIDER#0000000003' }
    expect(await client.send(new GetCommand({ TableName, Key }))).toMatchObject({
      Item: { state: 'removed' },
    })
  },
)

test.each([
  ['formatted by jq', true, '<-sS>', ' in jq'],
  ['on a line of its own without jq', false, String.raw`<-w><\\n>`, ''],
])('the lines to paste get an answer of each endpoint, %s', (_, hasJq, option, end) => {
  const [, lines = ''] = curlLines('http://list', 'http://delete/', true, hasJq).split('\n\n')
  expect(lines.trim().split('\n')).toHaveLength(3)
  const script = `curl() { printf '<%s>' "$@"; echo; }\njq() { echo "$(cat) in jq"; }\n${lines}`
  const first = String.raw`${option}<-H><Authorization: Bearer [\w-]+\.[\w-]+\.[\w-]+>`
  expect(execFileSync('bash', ['-c', script], { cwd: projectRoot, encoding: 'utf8' })).toMatch(
    new RegExp(`^${first}<http://list>${end}\n${first}<-X><DELETE><http://delete/1>${end}\n$`),
  )
})

test('the lines to paste name no provider without sample data', () => {
  expect(curlLines('http://list', 'http://delete/', false)).toContain('-X DELETE http://delete/ID')
})
