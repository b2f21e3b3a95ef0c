import { describe, expect, inject, test, vi } from 'vitest'
import { affected } from '../../infra/data/affected.ts'
import { sampleProvider, sampleUser } from '../samples.ts'
import { world } from '../world.ts'

async function run(...args: string[]) {
  vi.stubEnv('DYNAMODB_ENDPOINT', inject('dynamodbEndpoint'))
  const written: string[] = []
  const progress: string[] = []
  await affected(
    args,
    text => written.push(text),
    line => progress.push(line),
  )
  return { text: written.join(''), progress }
}

describe('npm run data -- affected', () => {
  test('prints what the DELETE answered, to the letter', async () => {
    const w = await world()
    const members = Array.from({ length: 250 }, (_, n) => sampleUser(n, { saml: 7 }))
    await w.putProvider(sampleProvider(7), members)
    const answer = await w.remove(7)
    const { text, progress } = await run('--table', w.tableName, '--provider', '7')
    expect(text).toBe(`${answer.text}\n`)
    expect(progress).toEqual(['250 of 250 users'])
  })

  test('says that a removal is unfinished', async () => {
    const w = await world()
    await w.putProvider(sampleProvider(7), [sampleUser(1, { saml: 7 })])
    const provider = (await w.items()).find(item => item.PK === 'SAML_PROVIDERS')
    await w.put({ ...provider, state: 'removing' })
    const { progress } = await run('--table', w.tableName, '--provider', '7')
    expect(progress[0]).toBe('The removal is unfinished, 0 of 1 users are unlinked: the same DELETE goes on.')
  })

  test('prints nothing of a provider that is active or unknown', async () => {
    const w = await world()
    await w.putProvider(sampleProvider(7))
    await expect(run('--table', w.tableName, '--provider', '7')).rejects.toThrow('Provider 7 is active')
    await expect(run('--table', w.tableName, '--provider', '8')).rejects.toThrow('There is no provider 8')
  })

  test.each([
    [['--provider', '7'], '--table is missing'],
    [['--table', 't'], '--provider must be the id'],
    [['--table', 't', '--provider', '07'], '--provider must be the id'],
    [['--table', 't', '--user', '7'], "Unknown option '--user'"],
  ])('refuses %j', async (args, sentence) => {
    await expect(run(...args)).rejects.toThrow(sentence)
  })
})
