import { expect, test } from 'vitest'
import { loadProvider } from '../../lib/http/provider.ts'
import { fakeClock } from '../support/fake-clock.ts'

const tenants = '/tenants/{tenant_id}/saml'

test.each([
  ['its only variable', '/idp/{id}', { id: '7' }, [7]],
  ['the last of two, in any order', `${tenants}/{a-b}`, { 'a-b': '7', tenant_id: '5' }, [7]],
  ['no variable before the end', '/idp/{id}/removal', { id: '7' }, []],
  ['no member of the prototype', '/idp/{constructor}', {}, []],
])("the provider's id in a route is %s", async (_, resource, pathParameters, ids) => {
  const asked: number[] = []
  const findProvider = async (id: number) => void asked.push(id)
  const event = { resource, pathParameters, budget: { signal: new AbortController().signal } }
  const loaded = loadProvider({ clock: fakeClock(), findProvider }).before?.({ event } as never)
  await expect(loaded).rejects.toMatchObject({ code: 'provider_not_found' })
  expect(asked).toEqual(ids)
})
