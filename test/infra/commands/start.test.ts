import { execFileSync } from 'node:child_process'
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { curlLines } from '../../../infra/sample-data/curl-lines.ts'
import { projectRoot } from '../../../infra/project-root.ts'
import { copyOfProject } from '../../support/copy-of-project.ts'
import { startIn } from './start-copy.ts'

test('npm start has an edit in the next answer, prints a line for each request, and exits with 0 on SIGTERM', async () => {
  const folder = copyOfProject()
  const { url, remove, nextLine, stop, ended } = await startIn(folder, [], {
    DYNAMODB_ENDPOINT: inject('dynamodbEndpoint'),
  })
  expect(remove).toBe('api/v2/saml/providers/1')
  const detail = async () => JSON.parse(await (await fetch(`${url}/api/v2/saml`)).text()).detail
  const source = join(folder, 'lib/http/problem.ts')
  const original = readFileSync(source, 'utf8')
  const edit = (text: string) => writeFileSync(source, original.replace('Send one Authorization', text))
  const expectLines = async (...patterns: RegExp[]) => {
    for (const pattern of patterns) expect(await nextLine()).toMatch(pattern)
  }
  const request = /^GET {8}\/api\/v2\/saml 401 credentials_missing \d+ ms$/

  expect(await detail()).toMatch(/^Send one Authorization header/)
  edit('Edited: send one')
  expect(await detail()).toMatch(/^Edited: /)
  await expectLines(request, /^reload {5}the functions were loaded again/, request)
  edit("wrong' +")
  expect(await detail()).toMatch(/^Edited: /)
  await expectLines(
    /^reload {5}failed, the last functions stay: /,
    /^lib\/http\/problem\.ts:\d+:\d+: ERROR: /,
    request,
  )
  edit('Corrected: send one')
  expect(await detail()).toMatch(/^Corrected: /)

  stop()
  expect(await ended()).toEqual({ code: 0, stderr: '' })
  const log = `.local/functions-${new URL(String(url)).port}.log`
  const lines = readFileSync(join(folder, log), 'utf8').trim().split('\n')
  expect(lines.map(text => JSON.parse(text).event)).toContain('request_answered')
  expect(readdirSync(join(folder, '.build/local'))).toEqual([])
})

test('npm start serves on after an error outside a request, and one of its own ends it in one sentence', async () => {
  const folder = copyOfProject()
  const ownFault = "process.on('SIGUSR2', () => { throw new Error('its own fault') })"
  appendFileSync(join(folder, 'infra/local/stack.ts'), ownFault)
  const { pid, url, nextLine, ended } = await startIn(folder, [], {
    DYNAMODB_ENDPOINT: inject('dynamodbEndpoint'),
  })
  const source = join(folder, 'lib/metrics.ts')
  const place = readFileSync(source, 'utf8').split('\n').length
  const faults = [
    ["setTimeout(() => { throw new Error('late\\nand more') })", `lib/metrics.ts:${place}:26: late`],
    ["Promise.reject(new Error('rejected'))", `lib/metrics.ts:${place + 1}:16: rejected`],
    ["setTimeout(() => { throw 'no error' })", "functions: 'no error'"],
  ]
  appendFileSync(source, faults.map(([code]) => `${code}\n`).join(''))
  const lines: string[] = []
  const linesWith = async (start: string, count: number) => {
    while (lines.filter(line => line.startsWith(start)).length < count) lines.push(await nextLine())
    return lines.filter(line => line.startsWith(start))
  }
  const status = async () => (await fetch(`${url}/api/v2/saml`)).status
  expect(await status()).toBe(401)
  const reported = await linesWith('failed', faults.length)
  expect(reported.sort()).toEqual(faults.map(([, text]) => `failed     ${text}`).sort())
  expect(await status()).toBe(401)
  await linesWith('GET', 2)
  const log = readFileSync(join(folder, `.local/functions-${new URL(String(url)).port}.log`), 'utf8')
  expect(log).toMatch(/^Error: late\nand more\n +at .*lib\/metrics.ts:/m)

  process.kill(pid, 'SIGUSR2')
  expect(await ended()).toEqual({ code: 1, stderr: 'its own fault\n' })
  expect(readdirSync(join(folder, '.build/local'))).toEqual([])
})

test('the three lines to paste get a token and call both endpoints with it', () => {
  const [, lines = ''] = curlLines('http://list', 'http://delete/').split('\n\n')
  expect(lines.trim().split('\n')).toHaveLength(3)
  const script = `curl() { printf '<%s>' "$@"; echo; }\n${lines}`
  const header = String.raw`<-H><Authorization: Bearer [\w-]+\.[\w-]+\.[\w-]+>`
  expect(execFileSync('bash', ['-c', script], { cwd: projectRoot, encoding: 'utf8' })).toMatch(
    new RegExp(`^${header}<http://list>\n${header}<-X><DELETE><http://delete/1>\n$`),
  )
})

test('without sample data, the lines to paste have no id of a sample provider', () => {
  expect(curlLines('http://list', 'http://delete/', false)).toContain('-X DELETE http://delete/ID\n')
})
