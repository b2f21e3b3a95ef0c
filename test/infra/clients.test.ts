import { execFile, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { projectRoot } from '../../infra/project-root.ts'
import { serverOf, temporaryFolder } from '../support/machine.ts'

const page = readFileSync(join(projectRoot, 'infra/clients.md'), 'utf8')
const loop = /^until curl[^`]+/m.exec(page)?.[0]

const isMissing = ['curl', 'jq'].some(program => spawnSync(program, ['--version']).error !== undefined)
if (isMissing) process.stdout.write('The loop for client authors is skipped: curl or jq is missing.\n')

const users = { affected_user: [{ id: 'first' }, { id: 'second' }] }

test.skipIf(isMissing).each<[string, (number | 'cut' | 'empty')[], unknown]>([
  ['a 503 and a body that breaks off', [503, 'cut', 200], users],
  ['a 200 without a body', ['empty'], null],
  ['a 404', [404], null],
  ['a 410', [410], null],
])(
  'the loop of the page sends the request again only after a passing failure: %s',
  async (_, answers, data) => {
    const asked: unknown[] = []
    const url = await serverOf(({ method, url, headers }, response) => {
      // A final failure that is not taken as final gets the users.
      const answer = answers[asked.push([method, url, headers.authorization]) - 1] ?? 200
      const isFailure = Number(answer) > 200
      const body = answer === 'empty' ? '' : JSON.stringify(isFailure ? { code: 'failed' } : { data: users })
      response.writeHead(typeof answer === 'string' ? 200 : answer, {
        'Content-Length': body.length,
        'Retry-After': 1,
      })
      if (answer === 'cut') response.write(body.slice(0, -9), () => response.destroy())
      else response.end(body)
    })
    // The pause of the loop is skipped; that of curl is the second in Retry-After.
    const script = `sleep() { :; }\n${loop}`
    const env = { ...process.env, NO_PROXY: '*', TOKEN: 'token', URL: `${url}/path` }
    const run = promisify(execFile)('sh', ['-c', script], { cwd: temporaryFolder(), env })
    const { code, stdout } = await run.then(({ stdout }) => ({ code: 0, stdout })).catch(failed => failed)
    expect([code, JSON.parse(stdout)]).toEqual([data === null ? 1 : 0, data])
    expect(asked).toEqual(answers.map(() => ['DELETE', '/path', 'Bearer token']))
  },
)
