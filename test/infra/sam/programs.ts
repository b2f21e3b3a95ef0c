import { chmodSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished, vi } from 'vitest'
import { temporaryFolder } from '../../support/temporary-folder.ts'

/** Creates a folder for PATH with these scripts, and with `node`, as a shebang cannot contain a path with a space. */
export function programsOf(scripts: Record<string, string>): string {
  const folder = temporaryFolder()
  symlinkSync(process.execPath, join(folder, 'node'))
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(join(folder, name), `#!/usr/bin/env node\n${script}`)
    chmodSync(join(folder, name), 0o755)
  }
  return folder
}

/** Makes a folder with these scripts the PATH. @returns the folder */
export function stubPath(scripts: Record<string, string>): string {
  const folder = programsOf(scripts)
  vi.stubEnv('PATH', folder)
  onTestFinished(() => void vi.unstubAllEnvs())
  return folder
}

/** A script that prints the recorded output of a real program. */
export const printing = (output: string, { fault = '', exitCode = 0 } = {}) =>
  `process.stdout.write(${JSON.stringify(output)}); process.stderr.write(${JSON.stringify(fault)}); process.exitCode = ${exitCode}\n`

/** Debian 12, iproute2 6.1: an idle bridge, which Node's networkInterfaces() leaves out. */
export const ipOfBridge = (address: string) =>
  printing(
    `3: docker0    inet ${address}/16 brd 172.17.255.255 scope global docker0\\       valid_lft forever preferred_lft forever\n`,
  )

export const ipWithoutBridge = printing('', { fault: 'Device "docker0" does not exist.\n', exitCode: 1 })

/** Docker Engine 20.10.24. */
export const dockerThatIsDown = printing('[]\n', {
  fault:
    'Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?\n',
  exitCode: 1,
})
