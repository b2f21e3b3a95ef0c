import { execFile, execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, inject, test } from 'vitest'
import { openIssuer } from '../../../infra/local/issuer.ts'
import { copyOfProject } from '../../support/copy-of-project.ts'
import { startIn } from './start-copy.ts'

// A process that may not make a file larger (RLIMIT_FSIZE) gets an error of each write, as on a full disk.

const remedy = 'cannot be used: it is larger than this user may write; raise the limit with ulimit -f'
const run = promisify(execFile)

/** Runs a command that may not write into files. */
const limited = (folder: string, ...command: string[]) =>
  run('sh', ['-c', 'ulimit -f 0; exec "$@"', 'sh', process.execPath, ...command], {
    cwd: folder,
    env: { PORT: '0' },
  })
const limit = (pid: number, bytes: string) => execFileSync('prlimit', ['--pid', `${pid}`, `--fsize=${bytes}`])

const authorized = async (folder: string) => ({
  headers: { authorization: `Bearer ${await (await openIssuer(join(folder, '.local'))).tokenFor()}` },
})

describe('a command', () => {
  test('that cannot write the key or the functions says so in one sentence, and leaves nothing behind', async () => {
    const folder = copyOfProject()
    const refusal = { code: 1, stderr: `A file ${remedy}.\n` }
    const left = (name: string) =>
      readdirSync(join(folder, name), { recursive: true, withFileTypes: true }).filter(one => one.isFile())
    await expect(limited(folder, 'infra/commands/token.ts')).rejects.toMatchObject(refusal)
    expect(left('.local')).toEqual([])
    await openIssuer(join(folder, '.local'))
    await expect(limited(folder, 'infra/commands/start.ts')).rejects.toMatchObject(refusal)
    expect(left('.build')).toEqual([])
  })

  test('names .local when that is a file', async () => {
    const folder = copyOfProject()
    writeFileSync(join(folder, '.local'), '')
    await expect(run(process.execPath, ['infra/commands/token.ts'], { cwd: folder })).rejects.toMatchObject({
      code: 1,
      stderr: `${folder}/.local cannot be used: it is a file, and a folder is needed; rename the file.\n`,
    })
  })
})

describe.skipIf(process.platform !== 'linux')('npm start, when the disk becomes full,', () => {
  test('goes on without its log, says so once, and continues the log when there is space again', async () => {
    const folder = copyOfProject()
    const env = { DYNAMODB_ENDPOINT: inject('dynamodbEndpoint') }
    const { pid, url, nextLine, stop, ended } = await startIn(folder, [], env)
    const log = join(folder, '.local/functions.log')
    const list = async () => (await fetch(`${url}/api/v2/saml`)).status
    const nextOther = async () => {
      for (;;) {
        const line = await nextLine()
        if (!line.startsWith('GET ')) return line
      }
    }

    limit(pid, '0:')
    expect([await list(), await list()]).toEqual([401, 401])
    expect(await nextOther()).toBe(`functions  ${log} ${remedy}.`)
    expect(readFileSync(log, 'utf8')).toBe('')
    limit(pid, 'unlimited:')
    for (let n = 0; n < 1000 && readFileSync(log, 'utf8') === ''; n++) await list()
    expect(readFileSync(log, 'utf8')).toContain('request_answered')

    stop()
    expect(await ended()).toEqual({ code: 0, stderr: '' })
    await expect(nextOther()).rejects.toThrow('exited')
  })

  test('with --keep ends in one sentence, and the next start has all data', async () => {
    const folder = copyOfProject()
    const first = await startIn(folder, ['--keep'])
    const request = await authorized(folder)
    const { status } = await fetch(`${first.url}/api/v2/saml/providers/3`, { ...request, method: 'DELETE' })
    expect(status).toBe(200)
    limit(first.pid, '0:')
    await expect(fetch(`${first.url}/${first.remove}`, { ...request, method: 'DELETE' })).rejects.toThrow()
    expect(await first.ended()).toEqual({
      code: 1,
      stderr: expect.stringMatching(new RegExp(`^${folder}/\\.local/dynamodb/\\d+\\.log ${remedy}\\.\n$`)),
    })

    const { url } = await startIn(folder, ['--keep'])
    const listed = await (await fetch(`${url}/api/v2/saml`, request)).json()
    const { saml_providers } = (listed as { data: { saml_providers: { id: number }[] } }).data
    expect(saml_providers.map(({ id }) => id)).toEqual([1, 2, 4])
  })
})
