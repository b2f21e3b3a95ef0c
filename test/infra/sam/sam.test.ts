import { once } from 'node:events'
import { chmodSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { basename, join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { parse } from 'yaml'
import { openIssuer } from '../../../infra/local/issuer.ts'
import { serve } from '../../../infra/sam/serve.ts'
import { codeFolder, writeTemplate } from '../../../infra/sam/template.ts'
import { localSettings, routes } from '../../../infra/serverless/service-definition.ts'
import { freePort, temporaryFolder } from '../../support/machine.ts'
import type { Properties } from '../serverless/packaged.ts'

const issuers = (await openIssuer()).trust

/** A Docker with one container, which logs its calls. */
const docker = `
const [, , ...parameters] = process.argv
require('node:fs').appendFileSync(__dirname + '/docker.log', parameters.join(' ') + '\\n')
console.log({ network: 'docker0', ps: 'c0ffee' }[parameters[0]] ?? '')`

/** A SAM CLI that records what it is given, and ends at the first SIGTERM. */
const sam = `
const record = signal => require('node:fs').writeFileSync(__dirname + '/sam.json', JSON.stringify({ parameters: process.argv.slice(2), env: process.env, signal }))
process.on('SIGTERM', () => { record('SIGTERM'); process.exit(0) })
setInterval(() => {}, 1000)
record()`

/** Serves with these programs alone on the PATH. */
async function serving(scripts: Record<string, string>) {
  const folder = temporaryFolder()
  symlinkSync(process.execPath, join(folder, 'node'))
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(join(folder, name), `#!/usr/bin/env node\n${script}`)
    chmodSync(join(folder, name), 0o755)
  }
  vi.stubEnv('PATH', folder)
  vi.stubEnv('AWS_PROFILE', 'callers-own')
  onTestFinished(() => void vi.unstubAllEnvs())
  const lines: string[] = []
  const interruption = new AbortController()
  const ports = { port: 3999, tablePort: await freePort() }
  const ended = serve({ ...ports, issuers, log: line => lines.push(line) }, interruption.signal)
  ended.catch(() => {})
  onTestFinished(() => interruption.abort())
  const read = (name: string) => readFileSync(join(folder, name), 'utf8')
  return { ...ports, lines, ended, interrupt: () => interruption.abort(), folder, read }
}

test('npm run sam serves until the interruption', async () => {
  const { port, tablePort, lines, ended, interrupt, folder, read } = await serving({ docker, sam })
  while (!existsSync(join(folder, 'sam.json'))) await setImmediate()
  expect(lines.join('\n')).toContain(`http://127.0.0.1:${port}/api/v2/saml`)
  const engine = `http://127.0.0.1:${tablePort}`
  expect((await fetch(engine)).status).toBe(200)
  const [asked] = await once(get(engine, { headers: { host: 'host.docker.internal' } }), 'response')
  expect(asked.resume().statusCode).toBe(200)
  interrupt()
  await ended
  const { parameters, env, signal } = JSON.parse(read('sam.json'))
  expect(parameters.slice(0, 2)).toEqual(['local', 'start-api'])
  expect([signal, env.AWS_PROFILE]).toEqual(['SIGTERM', undefined])
  expect(read('docker.log')).toMatch(/ps [^\n]*volume=[^\n]*\.build\/functions\nrm --force c0ffee\n$/)
  await expect(fetch(`http://127.0.0.1:${tablePort}`)).rejects.toThrow()
})

test.each([
  ['Docker is missing', { sam }, /^Docker does not answer \(ENOENT\): install/],
  [
    'Docker is down',
    { sam, docker: 'console.error("Cannot connect to the Docker daemon"); process.exit(1)' },
    /^Docker does not answer \(Cannot connect to the Docker daemon\): install and start it/,
  ],
  ['SAM CLI is missing', { docker }, /^AWS SAM CLI cannot be started \(ENOENT\): install it\.$/],
  ['SAM CLI fails', { docker, sam: 'process.exit(3)' }, /^AWS SAM CLI exited with 3: its output says why\.$/],
])('npm run sam says in one sentence that %s', async (_, scripts, sentence) => {
  const { ended } = await serving(scripts as Record<string, string>)
  await expect(ended).rejects.toThrow(sentence)
})

test('the template for SAM CLI has the routes and settings of the service', async () => {
  const template = readFileSync(await writeTemplate(issuers, 8123), 'utf8')
  const own = { issuers, tableName: 'saml-providers-sam' }
  const emulated = { responseTransferMode: 'BUFFERED', contentCodings: 'identity' }
  const { environment, timeoutSeconds } = localSettings({ ...own, ...emulated })
  expect(environment).toMatchObject({ CONTENT_CODINGS: 'identity', RESPONSE_TRANSFER_MODE: 'BUFFERED' })
  const table = { AWS_ENDPOINT_URL_DYNAMODB: 'http://host.docker.internal:8123' }
  // The YAML that SAM CLI reads.
  const [api, ...functions] = Object.values<Properties>(parse(template, { version: '1.1' }).Resources)
  expect(api).toMatchObject({ Type: 'AWS::Serverless::Api', Properties: { BinaryMediaTypes: ['*/*'] } })
  const routed = functions.flatMap(({ Type, Properties: { Events = {}, ...properties } }) => {
    const Environment = { Variables: { ...environment, ...table } }
    expect([Type, properties]).toMatchObject([
      'AWS::Serverless::Function',
      { Timeout: timeoutSeconds, Environment },
    ])
    expect(properties.CodeUri).toBe(codeFolder)
    return Object.values<Properties>(Events).map(event => [
      event.Properties.Method,
      event.Properties.Path,
      properties.Handler,
    ])
  })
  expect(routed).toEqual(routes.map(({ method, path, handler }) => [method, `/${path}`, basename(handler)]))
})
