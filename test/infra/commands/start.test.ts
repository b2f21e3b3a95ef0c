import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { copyOfProject, startIn } from './start-copy.ts'

const env = () => ({ DYNAMODB_ENDPOINT: inject('dynamodbEndpoint') })

test('npm start serves an edit at the same URL, and exits with 0 on SIGTERM', async () => {
  const folder = copyOfProject()
  const { url, remove, nextLine, stop, ended } = await startIn(folder, [], env())
  expect(remove).toBe('api/v2/saml/providers/1')
  const detail = async () => JSON.parse(await (await fetch(`${url}/api/v2/saml`)).text()).detail
  expect(await detail()).toMatch(/^Send one Authorization header/)

  const source = join(folder, 'lib/http/problem.ts')
  writeFileSync(source, readFileSync(source, 'utf8').replace('Send one Authorization', 'Edited: send one'))
  do expect(await nextLine()).toMatch(/^reload /)
  while (!(await detail()).startsWith('Edited: '))

  stop()
  expect(await ended()).toEqual({ code: 0, stderr: '' })
  const log = readFileSync(join(folder, '.local/functions.log'), 'utf8').trim().split('\n')
  expect(log.map(text => JSON.parse(text).event)).toContain('request_answered')
})

test('npm start -- --empty prints a removal without the id of a sample provider', async () => {
  expect((await startIn(copyOfProject(), ['--empty'], env())).remove).toBe('api/v2/saml/providers/ID')
})
