import { BatchWriteItemCommand } from '@aws-sdk/client-dynamodb'
import { describe, expect, test } from 'vitest'
import { userItem } from '../../lib/store/items.ts'
import { sampleProvider, sampleUser, userId } from '../support/samples.ts'
import { world } from '../support/world.ts'

describe('a table with malformed items', () => {
  test('is readable although JavaScript cannot hold a number of it', async () => {
    const w = await world()
    await w.putProvider(sampleProvider(7), [sampleUser(1, { saml: 7 })])
    const { PK, SK } = { PK: { S: `USER#${userId(1)}` }, SK: { S: 'USER' } }
    const Item = {
      PK,
      SK,
      id: { S: userId(1) },
      saml_provider_id: { N: '7' },
      odd: { N: '9007199254740993.5' },
    }
    await w.client.send(
      new BatchWriteItemCommand({ RequestItems: { [w.tableName]: [{ PutRequest: { Item } }] } }),
    )
    expect((await w.remove(7)).json().data.affected_user).toHaveLength(1)
  })

  test.each([
    ['is_disabled', 'true'],
    ['is_disabled', 1],
    ['deleted_at', 1_735_689_600],
    ['deleted_at', 'yesterday'],
    ['deleted_at', '2026-02-30T00:00:00.000Z'],
    ['saml_provider_id', '7'],
    ['sso_provider_id', 1.5],
  ])('refuses a caller whose %s is %j', async (name, value) => {
    const w = await world()
    await w.put({ ...userItem(sampleUser(1)), [name]: value })
    const { status, json } = await w.list({ token: w.token({ sub: userId(1) }) })
    expect([status, json().code]).toEqual([403, 'caller_disabled'])
  })

  test.each(['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'])(
    'admits a caller whose deleted_at is the zero time: %s',
    async deleted_at => {
      const w = await world()
      await w.put({ ...userItem(sampleUser(1)), deleted_at })
      expect((await w.list({ token: w.token({ sub: userId(1) }) })).status).toBe(200)
    },
  )
})
