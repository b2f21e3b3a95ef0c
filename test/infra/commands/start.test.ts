import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
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
  expect(await detail()).toMatch(/^Send one Authorization header/)

  const source = join(folder, 'lib/http/problem.ts')
  writeFileSync(source, readFileSync(source, 'utf8').replace('Send one Authorization', 'Edited: send one'))
  expect(await detail()).toMatch(/^Edited: /)
  const line = /^GET {8}\/api\/v2\/saml 401 credentials_missing \d+ ms$/
  for (const printed of [line, /^reload {5}the functions were loaded again/, line])
    expect(await nextLine()).toMatch(printed)

  stop()
  expect(await ended()).toEqual({ code: 0, stderr: '' })
  const log = readFileSync(join(folder, '.local/functions.log'), 'utf8').trim().split('\n')
  expect(log.map(text => JSON.parse(text).event)).toContain('request_answered')
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
