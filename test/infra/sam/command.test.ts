import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { devNull, tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { acquireLock } from '../../../infra/local/lock.ts'
import { openIssuer } from '../../../infra/local/issuer.ts'
import { listen } from '../../../infra/listen.ts'
import { localFolder, projectRoot } from '../../../infra/project-root.ts'
import { dockerThatIsDown } from './programs.ts'
import { bridge, docker, programs, sam, start, untilPrinted } from './sam-command.ts'

const callersAws = {
  AWS_PROFILE: 'no-such',
  AWS_REGION: 'us-west-2',
  AWS_ACCESS_KEY_ID: 'callers-own',
  AWS_SECRET_ACCESS_KEY: 'secret',
  AWS_ENDPOINT_URL: 'https://aws.example',
  HTTPS_PROXY: 'http://proxy.example',
}

/** Expects that SAM CLI runs the template at the port, without the caller's AWS settings. */
function expectIsolatedSamCli({ samLog, templateFolder, port }: Awaited<ReturnType<typeof start>>) {
  const { given, aws } = JSON.parse(samLog()[0] ?? '')
  expect(aws).toEqual({
    AWS_CONFIG_FILE: devNull,
    AWS_SHARED_CREDENTIALS_FILE: devNull,
    AWS_EC2_METADATA_DISABLED: 'true',
  })
  const start = `local start-api --template ${templateFolder}/template.yml --port ${port} --warm-containers EAGER`
  expect(given.join(' ').startsWith(start), given.join(' ')).toBe(true)
  expect(given.includes('host.docker.internal:host-gateway')).toBe(process.platform === 'linux')
}

const refuses = (sentence: RegExp) => ({ exitCode: 1, stderr: expect.stringMatching(sentence) })

describe('npm run sam', { timeout: 60_000 }, () => {
  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'serves the sample data until %s, ends SAM CLI with one SIGTERM and removes the remaining containers',
    async signal => {
      const run = await start(programs, callersAws)
      const printed = await untilPrinted(run.child, /^(ready|Not ready).*\n/m)
      expect(printed).toContain(`at http://${bridge}:${run.tablePort}`)
      expect(printed).toMatch(/is healthy, except for the gaps of SAM CLI\.\n/)
      expect(printed).toContain(`curl -H "Authorization: Bearer $TOKEN" ${run.url}/api/v2/saml\n`)
      expect(printed).toMatch(new RegExp(`\nready ${run.url}\n$`))

      const authorization = `Bearer ${await (await openIssuer(localFolder)).tokenFor()}`
      for (const headers of [{ accept: '*/*' }, { accept: 'text/html' }]) {
        const answer = await fetch(`${run.url}/api/v2/saml/providers/1`, {
          method: 'DELETE',
          headers: { authorization, 'accept-encoding': 'gzip', ...headers },
        })
        expect(answer.headers.get('Content-Encoding')).toBe(headers.accept === '*/*' ? 'gzip' : null)
        const { data } = (await answer.json()) as { data: { affected_user: unknown[] } }
        expect(data.affected_user).toHaveLength(9)
      }

      process.kill(-(run.child.pid ?? 0), signal) // to the process group, as a terminal does
      expect(await run.ended()).toMatchObject({ exitCode: 0, stderr: '' })
      expect(run.samLog().slice(1)).toEqual(['SIGTERM'])
      expectIsolatedSamCli(run)
      expect(run.dockerLog().slice(-2)).toEqual([
        `ps --all --quiet --filter label=sam.cli.container.type=lambda --filter volume=${run.templateFolder}/code`,
        'rm --force 1f2e',
      ])
      await expect(fetch(run.url)).rejects.toThrow()
      await expect(fetch(`http://${bridge}:${run.tablePort}`)).rejects.toThrow()
    },
  )

  test('removes the remaining containers when SAM CLI exits, and names the file with the reason', async () => {
    const run = await start(programs, { FAKE_SAM_FAULT: 'Error: no image' })
    const { stderr, exitCode } = await run.ended()
    expect(stderr).toBe(
      `SAM CLI exited (Error: no image): see ${run.templateFolder}/output.log for the reason.\n`,
    )
    expect(exitCode).toBe(1)
    expect(run.dockerLog().at(-1)).toBe('rm --force 1f2e')
  })

  test('with --template-only writes only into its folder, so that an earlier package stays', async () => {
    const writable = ['.build/functions', '.local'].map(name => join(projectRoot, name))
    const templateFolder = mkdtempSync(join(tmpdir(), 'sam-folder-'))
    onTestFinished(() => rmSync(templateFolder, { recursive: true }))
    const permission = [
      '--no-warnings',
      '--permission',
      '--allow-addons',
      '--allow-child-process',
      '--allow-fs-read=*',
    ]
    const writes = [...writable, templateFolder].map(folder => `--allow-fs-write="${folder}"`) // a path may contain a space
    const env = { NODE_OPTIONS: [...permission, ...writes].join(' ') }
    const run = await start({}, env, '--template-only', '--folder', templateFolder)
    const written = { exitCode: 0, stdout: `wrote ${templateFolder}/template.yml\n`, stderr: '' }
    expect(await run.ended()).toEqual(written)
    expect(existsSync(`${templateFolder}/template.yml`)).toBe(true)
  })
})

describe('npm run sam refuses in one sentence, and writes nothing,', { timeout: 60_000 }, () => {
  test.each([
    ['without SAM CLI', { docker }, /^AWS SAM CLI is missing: install it[^\n]*--template-only\.\n$/],
    ['without Docker', { sam }, /^Docker is missing: install and start it[^\n]*--template-only\.\n$/],
    [
      'when Docker is down',
      { sam, docker: dockerThatIsDown },
      /^Docker does not answer [^\n]*: start it[^\n]*\n$/,
    ],
  ])('%s', async (_, available, sentence) => {
    const run = await start(available)
    expect(await run.ended()).toEqual({ stdout: '', ...refuses(sentence) })
    expect(existsSync(run.templateFolder)).toBe(false)
  })

  test.each([
    ['--port', '127.0.0.1'],
    ['--table-port', bridge],
  ])('when the port of %s is in use', async (option, host) => {
    const other = createServer()
    const port = await listen(other, 0, host)
    onTestFinished(() => void other.close())
    const run = await start(programs, {}, option, `${port}`)
    const sentence = new RegExp(`^Port ${port} is in use: [^\n]* ${option} NUMBER\\.\n$`)
    expect(await run.ended()).toEqual({ stdout: '', ...refuses(sentence) })
    expect(existsSync(run.templateFolder)).toBe(false)
  })

  test('when another process uses the folder', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sam-folder-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    onTestFinished(acquireLock(folder))
    const run = await start(programs, {}, '--folder', folder)
    const sentence = new RegExp(`^The data in ${folder} is in use by another process: [^\n]*\n$`)
    expect(await run.ended()).toEqual({ stdout: '', ...refuses(sentence) })
    expect(readdirSync(folder)).toEqual(['in-use'])
  })

  test.each([
    ['--port', '0'],
    ['--table-port', '65536'],
  ])('when %s is %s', async (option, value) => {
    const run = await start(programs, {}, option, value)
    expect(await run.ended()).toEqual({
      stdout: '',
      ...refuses(
        new RegExp(`^error: option '${option} <NUMBER>' argument '${value}' [^\n]*\nRun it [^\n]*\n$`),
      ),
    })
  })
})
