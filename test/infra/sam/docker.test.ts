import { describe, expect, test } from 'vitest'
import { addressForContainers } from '../../../infra/sam/docker.ts'
import { ipOfBridge, ipWithoutBridge, printing, stubPath } from './programs.ts'

describe('containers reach this machine', () => {
  test.runIf(process.platform === 'linux')(
    "at the address of Docker's bridge, also when it is idle",
    async () => {
      stubPath({ docker: printing('docker0\n'), ip: ipOfBridge('172.17.0.1') })
      expect(await addressForContainers()).toBe('172.17.0.1')
    },
  )

  test('at the loopback interface without a bridge', async () => {
    stubPath({ docker: printing('docker0\n'), ip: ipWithoutBridge })
    expect(await addressForContainers()).toBe('127.0.0.1')
  })
})

describe('one sentence names the missing program', () => {
  test('Docker', async () => {
    stubPath({})
    await expect(addressForContainers()).rejects.toThrow(
      /^Docker is missing: install and start it, [^\n]*--template-only\.$/,
    )
  })

  test('a Docker that answers with an error is not taken for one that is down', async () => {
    const fault = 'Error response from daemon: network bridge not found\n'
    stubPath({ docker: printing('[]\n', { fault, exitCode: 1 }) })
    await expect(addressForContainers()).rejects.toThrow(
      '`docker network` failed (Error response from daemon: network bridge not found): correct this in Docker',
    )
  })

  test.runIf(process.platform === 'linux')('the program ip', async () => {
    stubPath({ docker: printing('docker0\n') })
    await expect(addressForContainers()).rejects.toThrow(/^The program ip, [^\n]*iproute2\.$/)
  })
})
