import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { projectRoot } from '../../infra/project-root.ts'

const run = promisify(execFile)

interface Finished {
  code: number
  stdout: string
  stderr: string
  /** The hosts other than this machine to which it tried to connect. */
  otherHosts: string[]
}

/** A module that refuses connections to other machines, and writes their hosts to the file. */
const guard = (file: string) => `
import net from 'node:net'
import { appendFileSync } from 'node:fs'
const { connect } = net.Socket.prototype
net.Socket.prototype.connect = function (...given) {
  const [{ host = 'localhost', path } = {}] = [given[0]].flat()
  if (path || ['localhost', '127.0.0.1', '::1'].includes(host)) return connect.apply(this, given)
  appendFileSync(${JSON.stringify(file)}, host + '\\n')
  throw new Error('no connection to ' + host)
}`

/** Runs a program of the project with a home folder of its own and with AWS credentials of the caller. */
export async function runProgram(
  program: string,
  parameters: string[],
  env: Record<string, string> = {},
): Promise<Finished> {
  const home = mkdtempSync(join(tmpdir(), 'command-'))
  const otherHosts = join(home, 'otherHosts')
  writeFileSync(otherHosts, '')
  const options = {
    cwd: projectRoot,
    env: {
      PATH: process.env.PATH,
      HOME: home,
      NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(guard(otherHosts))}`,
      AWS_EC2_METADATA_DISABLED: 'true',
      AWS_ACCESS_KEY_ID: 'callers-own',
      AWS_SECRET_ACCESS_KEY: 'secret',
      SLS_AWS_MONITORING_FREQUENCY: '20',
      SLS_AWS_REQUEST_MAX_RETRIES: '0',
      ...env,
    },
  }
  try {
    const { code, stdout, stderr } = await run(process.execPath, [program, ...parameters], options).then(
      output => ({ code: 0, ...output }),
      (failure: { code: number; stdout: string; stderr: string }) => failure,
    )
    return { code, stdout, stderr, otherHosts: readFileSync(otherHosts, 'utf8').split('\n').filter(Boolean) }
  } finally {
    rmSync(home, { recursive: true })
  }
}
