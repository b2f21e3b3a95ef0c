import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb'
import { expect, test } from 'vitest'
import { projectRoot } from '../../infra/project-root.ts'
import type { ProviderRecord } from '../../lib/domain/provider.ts'
import { providerRecordOf, userOf } from '../../lib/store/items.ts'
import { providers } from '../../lib/store/keys.ts'
import { int32, type Links, sampleProvider } from '../support/samples.ts'
import { itemsOf, scenario } from './scenario.ts'

const read = (name: string) =>
  JSON.parse(readFileSync(join(projectRoot, 'infra/data/writers', `${name}.json`), 'utf8'))
const [seven, , user] = read('items')
const { resource } = providerRecordOf(seven) as ProviderRecord

/** All items, when the user has these links. */
function itemsWith({ saml, sso }: Links, updated_at = user.updated_at) {
  const links = { saml_provider_id: int32(saml), sso_provider_id: int32(sso) }
  return itemsOf([resource, sampleProvider(8)], [{ ...userOf(user), ...links, updated_at }])
}

test('the items of the rules for writers are as the service writes them', () => {
  expect(itemsWith({ saml: 7, sso: 70 })).toEqual(expect.arrayContaining(read('items')))
})

test.each<[string, Links, Links]>([
  ['link', {}, { saml: 7, sso: 70 }],
  ['move', { saml: 7, sso: 70 }, { saml: 8 }],
  ['unlink', { saml: 7, sso: 70 }, {}],
])('the request %s makes these items once', async (name, before, after) => {
  const s = await scenario()
  const request = read(name)
  const actions: Record<string, Record<string, unknown>>[] = request.TransactItems
  for (const action of actions.flatMap(Object.values)) action.TableName = s.tableName
  const send = () => s.client.send(new TransactWriteItemsCommand(request))
  const [{ Update = {} } = {}] = actions
  const now = (Update.ExpressionAttributeValues as { ':now': { S: string } })[':now'].S

  await s.put(...itemsWith(before))
  await send()
  const written = itemsWith(after, now)
  expect(await s.items()).toEqual(written)
  expect(await s.find()).toEqual([])
  // Each action has a condition: while the providers are in removal, all fail.
  const ofProviders = written.filter(({ PK }) => PK === providers.PK)
  await s.put(...ofProviders.map(item => ({ ...item, state: 'removing' })))
  const refusals = actions.map(() => ({ Code: 'ConditionalCheckFailed' }))
  await expect(send()).rejects.toMatchObject({ CancellationReasons: refusals })
})
