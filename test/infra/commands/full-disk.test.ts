import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openIssuer } from '../../../infra/local/issuer.ts'
import { copyOfProject } from '../../support/copy-of-project.ts'
import { startIn } from './start-copy.ts'

// A process that may not make a file larger (RLIMIT_FSIZE) gets an error of each write, as on a full disk.

const remedy = 'cannot be used: it is larger than this user may write; raise the limit with ulimit -f'
const limit = (pid: number, bytes: string) => execFileSync('prlimit', ['--pid', `${pid}`, `--fsize=${bytes}`])

const authorized = async (folder: string) => ({
  headers: { authorization: `Bearer ${await (await openIssuer(join(folder, '.local'))).tokenFor()}` },
})

test.skipIf(process.platform !== 'linux')(
  'npm start --keep on a full disk ends in one sentence, and the next start has all data',
  async () => {
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
  },
)
