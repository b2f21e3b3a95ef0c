import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { TransactWriteItemsCommand, type TransactWriteItemsCommandInput } from '@aws-sdk/client-dynamodb'
import { expect, test } from 'vitest'
import { projectRoot } from '../../infra/project-root.ts'
import type { ProviderRecord } from '../../lib/domain/provider.ts'
import { providerRecordOf, userOf } from '../../lib/store/items.ts'
import { providers } from '../../lib/store/keys.ts'
import { int32, type Links, sampleProvider } from '../support/samples.ts'
import { itemsOf, scenario } from './scenario.ts'

const textOf = (name: string) => readFileSync(join(projectRoot, 'infra/data/writers', `${name}.json`), 'utf8')
const read = (name: string) => JSON.parse(textOf(name))
const [seven, , user] = read('items')
const { resource } = providerRecordOf(seven) as ProviderRecord

/** All items, when the user has these links. */
function itemsWith({ saml, sso }: Links, updated_at = user.updated_at) {
  const links = { saml_provider_id: int32(saml), sso_provider_id: int32(sso) }
  return itemsOf([resource, sampleProvider(8, 80)], [{ ...userOf(user), ...links, updated_at }])
}

test('the items of the rules for writers are as the service writes them', () => {
  const written = itemsWith({ saml: 7, sso: 70 })
  for (const item of read('items')) expect(written, 'infra/data/writers/items.json').toContainEqual(item)
})

/** Moves the user to provider 8: both requests in one, as the page says. */
function move() {
  const toEight = textOf('link')
    .replace('"70"', '"80"')
    .replace(/"7"|#7"|#0{9}7"/g, id => id.replace('7', '8'))
  const [{ Update: unlink }, ...leaving] = read('unlink').TransactItems
  const [{ Update: link }, ...joining] = JSON.parse(toEight).TransactItems
  const ExpressionAttributeValues = { ...unlink.ExpressionAttributeValues, ...link.ExpressionAttributeValues }
  const Update = { ...link, ConditionExpression: unlink.ConditionExpression, ExpressionAttributeValues }
  return { TransactItems: [{ Update }, ...leaving, ...joining] }
}

test.each<[string, () => TransactWriteItemsCommandInput, Links, Links]>([
  ['link', () => read('link'), {}, { saml: 7, sso: 70 }],
  ['move', move, { saml: 7, sso: 70 }, { saml: 8, sso: 80 }],
  ['unlink', () => read('unlink'), { saml: 7, sso: 70 }, {}],
])('the request %s makes these items once', async (_, requestOf, before, after) => {
  const s = await scenario()
  const request = requestOf()
  const actions = request.TransactItems as Record<string, Record<string, unknown>>[]
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
