import { execFileSync } from 'node:child_process'
import { afterEach, expect, test, vi } from 'vitest'
import { emulatorVariables, shellLine } from '../../../infra/emulator/deploy.ts'

const endpoint = 'http://127.0.0.1:4566'

afterEach(() => vi.unstubAllEnvs())

test('the line for the shell leaves nothing of the caller there that leads away from the emulator', () => {
  const ofCaller = {
    AWS_PROFILE: 'theirs',
    AWS_ACCESS_KEY_ID: 'theirs',
    AWS_SESSION_TOKEN: 'theirs',
    AWS_ENDPOINT_URL_DYNAMODB: 'https://theirs.example',
    https_proxy: 'http://theirs.example',
  }
  for (const [name, value] of Object.entries(ofCaller)) vi.stubEnv(name, value)
  const script = `${shellLine(endpoint)}; ${process.execPath} --print 'JSON.stringify(process.env)'`
  const pasted = JSON.parse(execFileSync('sh', ['-ec', script], { encoding: 'utf8' }))
  expect(pasted).toMatchObject({ ...emulatorVariables(endpoint), PATH: process.env.PATH })
  // Version 1 of the AWS CLI reads the second one alone.
  expect([pasted.AWS_REGION, pasted.AWS_DEFAULT_REGION]).toEqual(['eu-central-1', 'eu-central-1'])
  expect(Object.values(pasted).filter(value => String(value).includes('theirs'))).toEqual([])
})
