import { expect, test } from 'vitest'
import { putter } from '../../infra/data/put.ts'
import { localAws } from '../../infra/dynamodb/client.ts'
import { openClient } from '../../lib/store/client.ts'
import { systemClock } from '../../lib/time.ts'
import { serverOf } from '../support/server-of.ts'

test('what DynamoDB leaves unprocessed of a batch of puts is sent again', async () => {
  const Item = { PK: { S: 'partition' }, SK: { S: 'one' } }
  const replies = [{ UnprocessedItems: { any: [{ PutRequest: { Item } }] } }, { UnprocessedItems: {} }]
  const endpoint = await serverOf((_, response) => response.end(JSON.stringify(replies.shift() ?? {})))
  const client = openClient({ endpoint, ...localAws })
  const put = putter(client, 'any', systemClock)
  await put([{ PK: 'partition', SK: 'one' }], new AbortController().signal)
  expect(replies).toEqual([])
})
