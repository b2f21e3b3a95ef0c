import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { openMemberships } from '../../../infra/data/membership/index.ts'
import { packMemberships } from '../../../infra/data/membership/pack.ts'
import { localAws, localAwsEnvironment } from '../../../infra/dynamodb/client.ts'
import { projectRoot } from '../../../infra/project-root.ts'
import { userId } from '../../support/samples.ts'
import { scenario } from './scenario.ts'

/** A folder of another program, with the package and its dependencies. */
const folder = mkdtempSync(join(tmpdir(), 'memberships-test-'))
const installed = join(folder, 'node_modules', 'saml-memberships')
const run = (program: string, ...args: string[]) =>
  execFileSync(program, args, {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, ...localAwsEnvironment, DYNAMODB_ENDPOINT: inject('dynamodbEndpoint') },
  })

beforeAll(async () => {
  const tarball = await packMemberships(join(folder, 'packed'))
  mkdirSync(installed, { recursive: true })
  run('tar', '-xzf', tarball, '-C', installed, '--strip-components=1')
  for (const name of ['@aws-sdk', '@smithy', '@types'])
    symlinkSync(join(projectRoot, 'node_modules', name), join(folder, 'node_modules', name))
})
afterAll(() => rmSync(folder, { recursive: true }))

describe('the package for other writers', () => {
  test('links, moves, unlinks and erases users from plain JavaScript, as its example shows', async () => {
    const s = await scenario([{}])
    const before = await s.members()
    const example = join(installed, 'example.mjs')
    const printed = await s.clock.freeze(async () =>
      run(process.execPath, example, s.tableName, userId(1), '7', '8'),
    )
    expect(printed).toBe('link: linked\nmove: moved\nunlink: unlinked\nerase: erased\n')
    expect(await s.members()).toEqual(before)
    expect(JSON.stringify(await s.items())).not.toContain(userId(1))
  })

  test('has a README without a link to a file that is not in it', () => {
    expect(readFileSync(join(installed, 'README.md'), 'utf8')).not.toMatch(/\]\(/)
  })

  test('has types, which accept its example and refuse mistakes', () => {
    const mistakes = [
      '/** @import { MoveOutcome } from "saml-memberships" */',
      "import { openMemberships } from 'saml-memberships'",
      '// @ts-expect-error',
      'openMemberships({ tableName: 7 })',
      "const { move } = openMemberships({ tableName: 'x' })",
      '// @ts-expect-error',
      "await move('a', { saml_provider_id: 7 })",
      '// @ts-expect-error',
      "if (await move('a', { ssoProviderId: null }) === 'linked') await move('a', {})",
    ]
    writeFileSync(join(folder, 'mistakes.mjs'), mistakes.join('\n'))
    const options = '--noEmit --allowJs --checkJs --strict --skipLibCheck --module nodenext --types node'
    const files = [join(installed, 'example.mjs'), 'mistakes.mjs']
    expect(run(join(projectRoot, 'node_modules/.bin/tsc'), ...options.split(' '), ...files)).toBe('')
  })
})

test('the library refuses malformed ids, and takes null for no link', async () => {
  const s = await scenario([{ saml: 7 }])
  const place = { ...localAws, endpoint: inject('dynamodbEndpoint'), tableName: s.tableName }
  const memberships = openMemberships(place)
  for (const id of ['me', userId(1).replace('8000', 'ABCD')])
    await expect(memberships.erase(id)).rejects.toThrow(/^A user id is a UUID in lower case\.$/)
  for (const id of [2 ** 31, 1.5, '7'])
    await expect(memberships.move(userId(1), { samlProviderId: id as number })).rejects.toThrow(TypeError)
  expect(await memberships.move(userId(1), { samlProviderId: null, ssoProviderId: 70 })).toBe('moved')
  const aborted = AbortSignal.abort(new Error('too late'))
  await expect(memberships.unlink(userId(1), 7, aborted)).rejects.toThrow('too late')
  memberships.close()
  expect(await s.members()).toMatchObject([{ memberships: [userId(1)], linked: [userId(1)] }, {}])
})
