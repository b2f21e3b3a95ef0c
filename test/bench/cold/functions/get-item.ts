import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb'

const client = new DynamoDBClient()

/** One GetItem by the SDK's client, bundled as the functions are. */
export const handler = async () => {
  const Key = { PK: { S: 'SAML_PROVIDERS' }, SK: { S: 'PROVIDER#0000000000' } }
  await client.send(new GetItemCommand({ TableName: process.env.TABLE_NAME, Key }))
  return { statusCode: 200 }
}
