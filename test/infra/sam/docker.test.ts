import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { addressForContainers, removeContainers } from '../../../infra/sam/docker.ts'
import { dockerThatIsDown, ipOfBridge, ipWithoutBridge, printing, stubPath } from './programs.ts'

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
  test.each([
    ['Docker', {}, /^Docker is missing: install and start it, [^\n]*--template-only\.$/],
    [
      "Docker's engine",
      { docker: dockerThatIsDown },
      /^Docker does not answer \(Cannot connect to the Docker daemon at unix:\/\/\/var\/run\/docker\.sock\): start it, [^\n]*\.$/,
    ],
  ])('%s', async (_, programs, sentence) => {
    stubPath(programs)
    await expect(addressForContainers()).rejects.toThrow(sentence)
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

describe('the removed containers', () => {
  const fakeDocker = `const { appendFileSync } = require('node:fs')
const given = process.argv.slice(2)
appendFileSync(process.env.FAKE_DOCKER_LOG, JSON.stringify(given) + '\\n')
if (given[0] === 'ps') process.stdout.write(process.env.FAKE_DOCKER_PS)
`
  const remove = async (found: string) => {
    const log = join(stubPath({ docker: fakeDocker }), 'log')
    vi.stubEnv('FAKE_DOCKER_LOG', log)
    vi.stubEnv('FAKE_DOCKER_PS', found)
    await removeContainers('/folder/code')
    return existsSync(log)
      ? readFileSync(log, 'utf8')
          .trim()
          .split('\n')
          .map(line => JSON.parse(line))
      : []
  }
  const psCommand = [
    ...['ps', '--all', '--quiet', '--filter', 'label=sam.cli.container.type=lambda'],
    ...['--filter', 'volume=/folder/code'],
  ]

  test('are those of SAM CLI for the functions of this folder', async () => {
    expect(await remove('1f2e\n3d4c\n')).toEqual([psCommand, ['rm', '--force', '1f2e', '3d4c']])
  })

  test('are none when none exist', async () => {
    expect(await remove('')).toEqual([psCommand])
  })
})
