import { describe, expect, test } from 'vitest'
import { sampleProvider } from '../support/samples.ts'
import { world } from '../support/world.ts'

describe('the list', () => {
  test('shows the providers in the envelope, in the numeric order of their ids', async () => {
    const w = await world()
    for (const id of [10, 9, 100, 2_147_483_647, 1])
      await w.putProvider(sampleProvider(id, id === 9 ? 90 : undefined))
    const answer = await w.list()
    expect(answer.status).toBe(200)
    expect(answer.text).toBe(
      JSON.stringify({
        data: {
          saml_providers: [1, 9, 10, 100, 2_147_483_647].map(id =>
            sampleProvider(id, id === 9 ? 90 : undefined),
          ),
        },
      }),
    )
  })

  test('is an empty array when there are no providers', async () => {
    const w = await world()
    expect((await w.list()).text).toBe('{"data":{"saml_providers":[]}}')
  })

  test.each(['removing', 'removed', undefined, 'odd'])('omits a provider whose state is %s', async state => {
    const w = await world()
    await w.putProvider(sampleProvider(7))
    await w.put({ ...(await w.items())[0], state })
    expect((await w.list()).json().data.saml_providers).toEqual([])
  })

  test('has the providers of all pages', async () => {
    const w = await world()
    const big = 'x'.repeat(100_000)
    for (let id = 1; id <= 24; id++) await w.putProvider({ ...sampleProvider(id), display_name: big })
    expect((await w.list()).json().data.saml_providers).toHaveLength(24)
  })
})
