import { DeleteCommand, GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import { endpoint, problem } from '../endpoint.ts'
import { user } from '../resources.ts'
import { deleteAll, documents, getAll, type Item, inParallel, queryAll, TableName } from '../table.ts'

export const handler = endpoint('saml-providers:delete', async ({ pathParameters }, abortSignal) => {
  const id = Number(Object.values(pathParameters ?? {})[0])
  const Key = { PK: 'SAML_PROVIDERS', SK: `PROVIDER#${String(id).padStart(10, '0')}` }
  const get = new GetCommand({ TableName, Key, ConsistentRead: true })
  const { Item: provider } = await documents.send(get, { abortSignal })
  if (provider === undefined) throw problem(404, 'Not Found')

  const memberships = await queryAll(`SAML_PROVIDER#${id}`, abortSignal)
  const keys = memberships.map(({ SK }) => ({ PK: SK, SK: 'USER' }))
  const users = (await getAll(keys, abortSignal)).sort((a, b) => (a.PK < b.PK ? -1 : 1))
  const updated_at = new Date().toISOString()
  await inParallel(users, 50, async item => {
    const linked: Item = { saml_provider_id: id, sso_provider_id: provider.sso_provider_id }
    const links = Object.keys(linked).filter(name => item[name] !== undefined && item[name] === linked[name])
    for (const link of links) delete item[link]
    item.updated_at = updated_at
    const update = new UpdateCommand({
      TableName,
      Key: { PK: item.PK, SK: item.SK },
      UpdateExpression: `SET updated_at = :now${links.length > 0 ? ` REMOVE ${links}` : ''}`,
      ConditionExpression: 'attribute_exists(PK)',
      ExpressionAttributeValues: { ':now': updated_at },
    })
    await documents.send(update, { abortSignal })
  })
  await deleteAll(memberships, abortSignal)
  await documents.send(new DeleteCommand({ TableName, Key }), { abortSignal })
  return { affected_user: users.map(user) }
})
