import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, inject, onTestFinished, test } from 'vitest'
import { projectRoot } from '../../../infra/project-root.ts'

const parts = ['functions', 'infra', 'lib', 'package.json', 'serverless.yml']

/** Runs `npm start` in a copy of the project whose files the test may edit. */
async function startCopy(...options: string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'project-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const part of parts) cpSync(join(projectRoot, part), join(folder, part), { recursive: true })
  symlinkSync(join(projectRoot, 'node_modules'), join(folder, 'node_modules'))
  const start = spawn(process.execPath, ['infra/check-node.cjs', 'infra/commands/start.ts', ...options], {
    cwd: folder,
    env: { PORT: '0', DYNAMODB_ENDPOINT: inject('dynamodbEndpoint') },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(start, 'exit')
  onTestFinished(async () => {
    start.kill('SIGKILL')
    await exited
  })
  const lines = createInterface(start.stdout)[Symbol.asyncIterator]()
  const nextLine = async (): Promise<string> => {
    const { value, done } = await lines.next()
    if (done) throw new Error('npm start has exited.')
    return value
  }
  const linesOfStart: string[] = []
  while (!linesOfStart.at(-1)?.startsWith('ready ')) linesOfStart.push(await nextLine())
  const url = linesOfStart.at(-1)?.slice(6)
  return {
    file: (name: string) => join(folder, name),
    url,
    remove: linesOfStart.find(line => line.includes('DELETE'))?.split(`${url}/`)[1],
    nextLine,
    async stop() {
      start.kill('SIGTERM')
      const [code] = await exited
      return code
    },
  }
}

test('npm start serves an edit at the same URL, and exits with 0 on SIGTERM', async () => {
  const { file, url, remove, nextLine, stop } = await startCopy()
  expect(remove).toBe('api/v2/saml/providers/1')
  const detail = async () => JSON.parse(await (await fetch(`${url}/api/v2/saml`)).text()).detail
  expect(await detail()).toMatch(/^Send one Authorization header/)

  const source = file('lib/http/problem.ts')
  writeFileSync(source, readFileSync(source, 'utf8').replace('Send one Authorization', 'Edited: send one'))
  do expect(await nextLine()).toMatch(/^reload /)
  while (!(await detail()).startsWith('Edited: '))

  expect(await stop()).toBe(0)
  const log = readFileSync(file('.local/functions.log'), 'utf8').trim().split('\n')
  expect(log.map(text => JSON.parse(text).event)).toContain('request_answered')
})

test('npm start -- --empty prints a removal without the id of a sample provider', async () => {
  expect((await startCopy('--empty')).remove).toBe('api/v2/saml/providers/ID')
})
