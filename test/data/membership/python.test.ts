import { spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { describe, expect, inject, test } from 'vitest'
import { localAwsEnvironment } from '../../../infra/dynamodb/client.ts'
import { type Links, sampleProvider, sampleUser, userId } from '../../support/samples.ts'
import { itemsOf } from '../scenario.ts'
import { userItem } from '../../../lib/store/items.ts'
import { scenario } from './scenario.ts'

const program = join(import.meta.dirname, '../../../infra/data/membership/memberships.py')

const python = (...args: string[]) =>
  spawnSync('python3', args, {
    encoding: 'utf8',
    env: {
      ...{ ...process.env, ...localAwsEnvironment, AWS_DEFAULT_REGION: localAwsEnvironment.AWS_REGION },
      AWS_ENDPOINT_URL_DYNAMODB: inject('dynamodbEndpoint'),
      PYTHONDONTWRITEBYTECODE: '1',
    },
  })

/** Gives the user these links. */
const change = (tableName: string, n: number, { saml, sso }: Links) => {
  const options = { '--saml-provider-id': saml, '--sso-provider-id': sso }
  const given = Object.entries(options).flatMap(([name, id]) => (id === undefined ? [] : [name, String(id)]))
  const { status, stderr } = python(program, tableName, userId(n), ...given)
  return [status, stderr.trim()]
}

/** Links a user to provider 7, whom another writer moves to provider 8 between the reads and the write. */
const anotherIsFaster = `
import sys
sys.path.insert(0, sys.argv[1])
import memberships
decide, faster = memberships.actions_for, [{"saml_provider_id": 8}]
def late(*given):
    actions = decide(*given)
    if faster:
        memberships.change(*given[:2], faster.pop())
    return actions
memberships.actions_for = late
memberships.change(*sys.argv[2:], {"saml_provider_id": 7})
`

const isMissing = python('-c', 'import boto3').status !== 0
if (isMissing) process.stdout.write('The program in Python is skipped: python3 with boto3 is missing.\n')

describe.skipIf(isMissing)('the program in Python', () => {
  const providers = [sampleProvider(7, 70), sampleProvider(8)]

  test.each<[Links, Links]>([
    [{}, { sso: 70 }],
    [{ sso: 99 }, { saml: 7, sso: 70 }],
    [{ saml: 7 }, { saml: 8, sso: 70 }],
    [{ saml: 7, sso: 70 }, { saml: 8 }],
    [{ saml: 8, sso: 70 }, {}],
  ])('gives a user with %j the links %j, with the memberships and counts', async (before, after) => {
    const s = await scenario([before, { saml: 7 }])
    expect(change(s.tableName, 1, after)).toEqual([0, ''])
    const { updated_at } = (await s.items()).find(({ PK }) => PK === `USER#${userId(1)}`) ?? {}
    expect(updated_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    const users = [{ ...sampleUser(1, after), updated_at: String(updated_at) }, sampleUser(2, { saml: 7 })]
    expect(await s.items()).toEqual(itemsOf(providers, users))
    expect(change(s.tableName, 1, after)).toEqual([0, ''])
    expect(await s.items()).toEqual(itemsOf(providers, users))
  })

  test.each<Links>([{}, { sso: 70 }])(
    'decides again when another writer was faster, of a user with %j',
    async links => {
      const s = await scenario([links])
      const { status, stderr } = python('-c', anotherIsFaster, dirname(program), s.tableName, userId(1))
      expect([status, stderr]).toEqual([0, ''])
      expect(await s.members()).toMatchObject([
        { memberCount: 1, memberships: [userId(1)], linked: [userId(1)] },
        { memberCount: 0, memberships: [] },
      ])
    },
  )

  test('changes nothing for a provider that is not there or not active, and for a user who is not there', async () => {
    const s = await scenario([{ saml: 8 }, { saml: 7 }])
    await s.setState(7, 'removing')
    const before = await s.items()
    expect(change(s.tableName, 1, { saml: 9 })).toEqual([
      1,
      'Nothing was changed: there is no such provider.',
    ])
    const refusal = 'Nothing was changed: the provider is being removed or was removed.'
    expect(change(s.tableName, 1, { sso: 70 })).toEqual([1, refusal])
    expect(change(s.tableName, 3, {})).toEqual([1, 'Nothing was changed: there is no such user.'])
    expect(await s.items()).toEqual(before)
  })

  test('leaves the membership and the count of a provider in removal, and a link without membership uncounted', async () => {
    const s = await scenario([{ saml: 7 }, {}])
    await s.setState(7, 'removing')
    await s.put(userItem(sampleUser(2, { saml: 8 })))
    expect([change(s.tableName, 1, {}), change(s.tableName, 2, {})]).toEqual([
      [0, ''],
      [0, ''],
    ])
    expect(await s.members()).toMatchObject([
      { memberCount: 1, memberships: [userId(1)], linked: [] },
      { memberCount: 0, memberships: [], linked: [] },
    ])
  })
})
