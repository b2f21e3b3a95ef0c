import { execFileSync } from 'node:child_process'
import { createServer } from 'node:http'
import { devNull } from 'node:os'
import { ListTablesCommand } from '@aws-sdk/client-dynamodb'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { close, listen } from '../../infra/listen.ts'
import { copyOfProject, serverOf, temporaryFile } from '../support/machine.ts'
import { openPlace } from './place.ts'
import { run } from './stage.ts'

const set = (variables: Record<string, string | undefined>) => {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value)
}

/** An environment without AWS settings. */
beforeEach(() => {
  onTestFinished(() => void vi.unstubAllEnvs())
  for (const name of Object.keys(process.env)) if (name.startsWith('AWS_')) vi.stubEnv(name, undefined)
  set({ AWS_CONFIG_FILE: devNull, AWS_SHARED_CREDENTIALS_FILE: devNull, AWS_EC2_METADATA_DISABLED: 'true' })
})

/** Names the hosts to which one is connected through it, and connects to none. */
async function fakeProxy() {
  const hosts: string[] = []
  const server = createServer().on('connect', ({ url }, socket) => {
    hosts.push(String(url))
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')
  })
  onTestFinished(() => close(server))
  return { hosts, url: `http://127.0.0.1:${await listen(server, 0)}` }
}

test('the client and the framework call AWS, although shell and profile have other endpoints', async () => {
  const profile = `
[profile trial]
aws_access_key_id = made-up
aws_secret_access_key = made-up
aws_account_id = 123456789012
services = other
[services other]
dynamodb =
  endpoint_url = http://127.0.0.1:9
cloudformation =
  endpoint_url = http://127.0.0.1:9
`
  const { hosts, url } = await fakeProxy()
  set({
    AWS_TRIAL: '1',
    AWS_PROFILE: 'trial',
    AWS_CONFIG_FILE: temporaryFile(profile),
    AWS_REGION: 'us-west-2',
  })
  set({ AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:9', HTTPS_PROXY: url, SLS_AWS_REQUEST_MAX_RETRIES: '0' })
  const place = await openPlace()
  expect(place).toMatchObject({
    kind: 'AWS',
    title: 'us-west-2 of the account 123456789012',
    prefix: 'AWS_REGION=us-west-2 AWS_IGNORE_CONFIGURED_ENDPOINT_URLS=true',
  })

  const client = place?.connect()
  client?.middlewareStack.add(
    () => async call => {
      hosts.push((call.request as { hostname: string }).hostname)
      throw new Error('it is not sent')
    },
    { step: 'finalizeRequest' },
  )
  await expect(client?.send(new ListTablesCommand())).rejects.toThrow('it is not sent')
  await run(copyOfProject(), 'node_modules/serverless/bin/serverless.js', ['info', '--stage', 'trial-a'], {
    ...place?.env,
  })
  expect(hosts).toEqual([
    '123456789012.ddb.us-west-2.amazonaws.com',
    'cloudformation.us-west-2.amazonaws.com:443',
  ])
})

const withSecondFactor = `
[profile a]
aws_access_key_id = made-up
aws_secret_access_key = made-up
[profile b]
source_profile = a
role_arn = arn:aws:iam::123456789012:role/made-up
mfa_serial = arn:aws:iam::123456789012:mfa/made-up
`

test.each([
  [
    'a profile that only the framework knows',
    { AWS_DEFAULT_PROFILE: 'a' },
    /^The AWS SDK does not know AWS_DEFAULT_PROFILE/,
  ],
  ['no credentials', {}, /^AWS_TRIAL=1 needs the credentials of an AWS account/],
  [
    'a profile that asks for a second factor',
    { AWS_PROFILE: 'b' },
    /callback was provided\. If version 2 of the AWS CLI has them, paste this line .*:\nkeys=/,
  ],
  ['no emulator at its URL', { AWS_ENDPOINT_URL: 'http://127.0.0.1:9' }, /^No emulator answers/],
])('a trial is refused with %s, and leaves the environment as it was', async (_, variables, sentence) => {
  set({ AWS_TRIAL: '1', AWS_CONFIG_FILE: temporaryFile(withSecondFactor), ...variables })
  const before = { ...process.env }
  await expect(openPlace()).rejects.toThrow(sentence)
  expect(process.env).toEqual(before)
})

test.each([
  ['export AWS_ACCESS_KEY_ID=key', 'key '],
  ['exit 1', ' b'],
])(
  'the line of a refusal takes the profile away only for keys: when the AWS CLI answers %s',
  async (reply, is) => {
    set({ AWS_TRIAL: '1', AWS_PROFILE: 'b', AWS_CONFIG_FILE: temporaryFile(withSecondFactor) })
    const { message } = (await openPlace().catch(error => error)) as Error
    const aws = reply === 'exit 1' ? `aws() { ${reply}; }` : `aws() { echo '${reply}'; }`
    const script = `${aws}\n${message.split('\n').at(-1)}\necho "$AWS_ACCESS_KEY_ID $AWS_PROFILE"`
    expect(execFileSync('sh', ['-c', script], { encoding: 'utf8' })).toBe(`${is}\n`)
  },
)

test.each([
  ['1', 'rehearsal'],
  ['', 'emulator'],
])(
  'with AWS_TRIAL=%s an emulator gets nothing of the shell, also from a pasted line',
  async (trial, kind) => {
    const endpoint = await serverOf((_, response) => void response.end('{}'))
    set({
      AWS_TRIAL: trial,
      AWS_ENDPOINT_URL: endpoint,
      AWS_PROFILE: 'a',
      AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:9',
    })
    const place = await openPlace()
    expect(place).toMatchObject({ kind, title: endpoint })
    const line = `${place?.prefix} ${process.execPath} --print 'JSON.stringify(process.env)'`
    const pasted = JSON.parse(execFileSync('sh', ['-c', line], { encoding: 'utf8' }))
    expect(pasted).toMatchObject({ AWS_ENDPOINT_URL: endpoint, PATH: process.env.PATH })
    for (const env of [pasted, place?.env]) {
      expect(env).not.toHaveProperty('AWS_PROFILE')
      expect(env).not.toHaveProperty('AWS_ENDPOINT_URL_S3')
    }
  },
)

test('without AWS_TRIAL there is no place but an emulator that answers', async () => {
  set({ AWS_PROFILE: 'a' })
  expect(await openPlace()).toBeUndefined()
  set({ AWS_ENDPOINT_URL: 'http://127.0.0.1:9' })
  expect(await openPlace()).toBeUndefined()
})
