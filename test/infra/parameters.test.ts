import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { settings } from '../../infra/settings.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '..', '..')
const serviceFile = parse(readFileSync(join(root, 'serverless.yml'), 'utf8'), { logLevel: 'error' })
const issuers =
  '[{"issuer":"https://login.example.com","audience":"a","jwksUri":"https://login.example.com/keys"}]'

describe('a parameter at fault stops the packaging with one sentence that names it', () => {
  test.each([
    ['Parameters: issuers is missing.', {}],
    ['Parameters: issuers must be JSON.', { issuers: 'x' }],
    [
      'Parameters: sunsetAt must not be earlier than deprecatedAt.',
      { issuers, sunsetAt: '2020-01-01T00:00:00Z' },
    ],
    ['Parameters: sunsetEnforced needs sunsetAt.', { issuers, sunsetEnforced: true }],
    [
      'Parameters: maxWaitSeconds must be at most 899, as Lambda ends at 900.',
      { issuers, maxWaitSeconds: 900 },
    ],
  ])('%s', async (sentence, parameters) => {
    const all: Record<string, unknown> = { ...serviceFile.params.default, ...parameters }
    const failure = settings(async address => all[address.replace('param:', '')])
    await expect(failure).rejects.toBe(sentence)
  })

  test.each([
    ['Parameters: issuers is missing.', 'realm=a'],
    ['Parameters: there is none that is called maxWait.', 'maxWait=9'],
  ])('%s as the command says it', async (sentence, parameter) => {
    const failure = run(process.execPath, ['infra/deploy.ts', 'package', `--param=${parameter}`], {
      cwd: root,
    })
    await expect(failure).rejects.toMatchObject({ code: 1, stderr: `${sentence}\n` })
  })
})
