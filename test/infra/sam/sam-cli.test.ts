import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkSamCli } from '../../../infra/sam/sam-cli.ts'
import { printing, stubPath } from './programs.ts'

const failing = printing('', { fault: 'Traceback:\nImportError: no samcli\n', exitCode: 1 })

test.each([
  ['fails', failing, 0o755, 'ImportError: no samcli'],
  ['fails without a reason', printing('', { exitCode: 1 }), 0o755, 'Command failed: sam --version'],
  ['may not be executed', failing, 0o644, 'spawn sam EACCES'],
])('a SAM CLI that %s is refused in one sentence with the reason', async (_, sam, mode, reason) => {
  chmodSync(join(stubPath({ sam }), 'sam'), mode)
  await expect(checkSamCli()).rejects.toThrow(
    `AWS SAM CLI does not work (${reason}): install it, or write only the template with --template-only.`,
  )
})
