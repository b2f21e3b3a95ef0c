import { execFile, spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { devNull } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { listen } from '../../../infra/listen.ts'
import { openIssuer } from '../../../infra/local/issuer.ts'
import { acquireLock } from '../../../infra/local/lock.ts'
import { projectRoot } from '../../../infra/project-root.ts'
import { endLeftSamCli } from '../../../infra/sam/sam-cli.ts'
import { serve } from '../../../infra/sam/serve.ts'
import { freePort } from '../../support/free-port.ts'
import { dockerThatIsDown, ipOfBridge, programsOf, stubPath } from './programs.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

/** Says what it is given, answers every request with `{}`, and says each signal. With SAM_FAULT it fails at once. */
const sam = `const { appendFileSync, readFileSync } = require('node:fs')
const given = process.argv.slice(2)
const log = seen => appendFileSync(process.env.SAM_LOG, JSON.stringify(seen) + '\\n')
if (given[0] === '--version') process.exit(0)
const aws = Object.fromEntries(Object.entries(process.env).filter(([name]) => /^AWS_|^https?_proxy$/i.test(name)))
log({ given: given.join(' '), aws })
if (process.env.SAM_FAULT) {
  process.stdout.write('Initializing the containers.\\n' + process.env.SAM_FAULT + '\\n')
  process.exit(1)
}
for (const signal of ['SIGINT', 'SIGHUP', 'SIGTERM']) process.on(signal, () => log(signal))
process.on('SIGTERM', () => process.exit(0))
const port = given[given.indexOf('--port') + 1]
require('node:http').createServer((_, response) => response.end('{}')).listen(Number(port), '127.0.0.1')
`
const docker = `const given = process.argv.slice(2)
require('node:fs').appendFileSync(process.env.DOCKER_LOG, given.join(' ') + '\\n')
process.stdout.write({ network: 'docker0\\n', ps: process.env.DOCKER_PS ?? '' }[given[0]] ?? '')
`
/** An address of this machine; on Linux one at which nothing listens by default. */
const bridge = process.platform === 'linux' ? '127.0.0.2' : '127.0.0.1'
const programs = { sam, docker, ip: ipOfBridge(bridge) }

/** Serves with only these programs on the PATH. */
async function start(available: Record<string, string>, own: { folder?: string; port?: number } = {}) {
  const logs = temporaryFolder()
  stubPath(available)
  const [samLog, dockerLog] = [join(logs, 'sam'), join(logs, 'docker')]
  vi.stubEnv('SAM_LOG', samLog)
  vi.stubEnv('DOCKER_LOG', dockerLog)
  const lines: string[] = []
  const folder = join(logs, 'folder')
  const [port, tablePort] = [await freePort(), await freePort()]
  const interruption = new AbortController()
  const options = { folder, port, tablePort, issuer: await openIssuer(), ...own }
  const ready = Promise.withResolvers<void>()
  const log = (line: string) => {
    lines.push(line)
    if (/ready/i.test(line)) ready.resolve()
  }
  const ended = serve({ ...options, log }, interruption.signal).catch((error: Error) => error.message)
  const read = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [])
  return {
    ...options,
    lines,
    ended,
    ready: Promise.race([ready.promise, ended]),
    interrupt: () => interruption.abort(),
    samLog: () => read(samLog).map(line => JSON.parse(line)),
    dockerLog: () => read(dockerLog),
  }
}

describe('npm run sam', () => {
  test('serves until it is interrupted, then ends SAM CLI with one SIGTERM and removes its containers', async () => {
    for (const name of ['AWS_PROFILE', 'AWS_ACCESS_KEY_ID', 'AWS_ENDPOINT_URL', 'HTTPS_PROXY'])
      vi.stubEnv(name, 'callers-own')
    vi.stubEnv('DOCKER_PS', '1f2e\n3d4c\n')
    const run = await start(programs)
    await run.ready
    expect(run.lines).toContainEqual(expect.stringContaining(`at http://${bridge}:${run.tablePort}`))
    expect(run.lines.join('\n')).toContain(
      `curl -H "Authorization: Bearer $TOKEN" http://127.0.0.1:${run.port}/api/v2/saml\n`,
    )
    expect(run.lines.at(-1)).toBe(`Not ready: the smoke test failed; see ${run.folder}/output.log.`)

    run.interrupt()
    expect(await run.ended).toBeUndefined()
    const [{ given, aws }, ...signals] = run.samLog()
    expect(signals).toEqual(['SIGTERM'])
    expect(given).toMatch(
      new RegExp(
        `^local start-api --template ${run.folder}/template.yml --port ${run.port} --warm-containers EAGER`,
      ),
    )
    expect(given.includes('--add-host host.docker.internal:host-gateway')).toBe(process.platform === 'linux')
    expect(aws).toEqual({
      AWS_CONFIG_FILE: devNull,
      AWS_SHARED_CREDENTIALS_FILE: devNull,
      AWS_EC2_METADATA_DISABLED: 'true',
    })
    expect(run.dockerLog().slice(-2)).toEqual([
      `ps --all --quiet --filter label=sam.cli.container.type=lambda --filter volume=${run.folder}/code`,
      'rm --force 1f2e 3d4c',
    ])
    await expect(fetch(`http://127.0.0.1:${run.port}`)).rejects.toThrow()
    await expect(fetch(`http://${bridge}:${run.tablePort}`)).rejects.toThrow()
    acquireLock(run.folder)()
  })

  test.skipIf(process.platform !== 'linux')(
    'ends the SAM CLI that a killed one left on its port',
    async () => {
      const folder = temporaryFolder()
      const port = await freePort()
      const [pidFile, samLog] = [join(folder, 'sam-cli.pid'), join(folder, 'log')]
      const program = `import { startSamCli } from '${projectRoot}/infra/sam/sam-cli.ts'
        startSamCli('${folder}/template.yml', ${port}, '${folder}/output.log')
        setInterval(() => {}, 1000)`
      const env = { PATH: programsOf(programs), SAM_LOG: samLog }
      const killed = spawn(process.execPath, ['--input-type=module', '--eval', program], { env })
      await vi.waitFor(() => fetch(`http://127.0.0.1:${port}`), 20_000)
      killed.kill('SIGKILL')
      const left = Number(readFileSync(pidFile, 'utf8'))
      onTestFinished(() => void (existsSync(`/proc/${left}`) && process.kill(left)))

      const run = await start(programs, { folder, port })
      await run.ready
      run.interrupt()
      expect(await run.ended).toBeUndefined()
      expect(readFileSync(samLog, 'utf8')).toMatch(/^"SIGTERM"$/m)
      expect(existsSync(pidFile)).toBe(false)
    },
  )

  test('ends no other process that has the id of the SAM CLI that a killed one left', async () => {
    const folder = temporaryFolder()
    const other = spawn(process.execPath, ['--eval', 'setInterval(() => {}, 1000)', folder])
    onTestFinished(() => void other.kill('SIGKILL'))
    writeFileSync(join(folder, 'sam-cli.pid'), String(other.pid))
    await endLeftSamCli(join(folder, 'template.yml'))
    expect(existsSync(join(folder, 'sam-cli.pid'))).toBe(false)
    other.kill('SIGKILL')
    expect(await once(other, 'exit')).toEqual([null, 'SIGKILL'])
  })

  test('looks for containers when SAM CLI exits, and names the file with the reason', async () => {
    vi.stubEnv('SAM_FAULT', 'Error: no image')
    const run = await start(programs)
    expect(await run.ended).toBe(
      `SAM CLI exited (Error: no image): see ${run.folder}/output.log for the reason.`,
    )
    expect(run.dockerLog().at(-1)).toMatch(/^ps /)
  })

  test.each([
    ['without SAM CLI', { docker }, /^AWS SAM CLI is missing: install it[^\n]*--template-only\.$/],
    [
      'when Docker is down',
      { sam, docker: dockerThatIsDown },
      /^Docker does not answer \(Cannot connect to the Docker daemon at unix:\/\/\/var\/run\/docker\.sock\): start it/,
    ],
  ])('%s refuses in one sentence, and writes nothing', async (_, available, sentence) => {
    const run = await start(available)
    expect(await run.ended).toMatch(sentence)
    expect(run.lines).toEqual([])
    expect(existsSync(run.folder)).toBe(false)
  })

  test.each([
    ['port', '127.0.0.1'],
    ['table-port', bridge],
  ])('refuses a --%s that is in use, and writes nothing', async (option, host) => {
    const other = createServer()
    const port = await listen(other, 0, host)
    onTestFinished(() => void other.close())
    const run = await start(programs, { [option === 'port' ? 'port' : 'tablePort']: port })
    expect(await run.ended).toMatch(new RegExp(`^Port ${port} is in use: [^\n]* --${option} NUMBER\\.$`))
    expect(existsSync(run.folder)).toBe(false)
  })

  test('refuses a folder that another process uses', async () => {
    const folder = temporaryFolder()
    onTestFinished(acquireLock(folder))
    const run = await start(programs, { folder })
    expect(await run.ended).toMatch(new RegExp(`^The data in ${folder} is in use by another process: `))
    expect(readdirSync(folder)).toEqual(['in-use'])
  })

  test('with --template-only needs neither SAM CLI nor Docker', async () => {
    const folder = temporaryFolder()
    const command = ['infra/commands/sam.ts', '--template-only', '--folder', folder]
    const options = { cwd: projectRoot, env: { PATH: programsOf({}) } }
    const { stdout } = await promisify(execFile)(process.execPath, command, options)
    expect(stdout).toBe(`wrote ${folder}/template.yml\n`)
    expect(existsSync(`${folder}/template.yml`)).toBe(true)
  })
})
