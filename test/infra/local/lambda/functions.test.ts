import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { restEvent } from '../../../../infra/local/gateway/rest-event.ts'
import { documented } from '../gateway/rest-event.vector.ts'
import { startEnvironment } from '../../../../infra/local/lambda/environment.ts'
import { fakeClock } from '../../../support/fake-clock.ts'
import { fixtureFunctions, fixtures, timeoutMs } from './fixture-functions.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'

const requestId = documented.request.requestId

/** A copy of the fixtures, whose files the test writes. */
const copy = () => {
  const root = temporaryFolder()
  cpSync(fixtures, root, { recursive: true })
  const write = (name: string, text: string) => writeFileSync(join(root, name), text)
  return { root, write, edit: (text: string) => write('handlers.mjs', text) }
}

describe('a handler', () => {
  test('gets the event as JSON, its context, and only the deployed variables', async () => {
    const { result, clock } = await fixtureFunctions(['echo'])
    const { event, context, variables } = await result('echo')
    expect(event).toEqual(JSON.parse(JSON.stringify(restEvent(documented.request))))
    expect(context).toEqual({
      functionName: 'service-local-echo',
      functionVersion: '$LATEST',
      invokedFunctionArn: 'arn:aws:lambda:eu-central-1:000000000000:function:service-local-echo',
      memoryLimitInMB: '1024',
      awsRequestId: requestId,
      logGroupName: '/aws/lambda/service-local-echo',
      logStreamName: expect.any(String),
      callbackWaitsForEmptyEventLoop: true,
      remainingMs: expect.any(Number),
    })
    expect(context.remainingMs).toBeLessThanOrEqual(clock.nowMs() + timeoutMs - Date.now() + 60_000)
    expect(variables).toEqual({ TABLE_NAME: 'some-table' })
  })

  test('writes its output to the log, which contains nothing else', async () => {
    const { invoke, log, logged } = await fixtureFunctions(['prints'])
    await invoke('prints', 'hello')
    await Promise.all([logged('hello'), logged('a warning')])
    expect(log().split('\n').sort()).toEqual(['', 'a warning', 'hello'])
  })

  test('gets concurrent events in one environment, unlike on Lambda, and returns null for nothing', async () => {
    const { result } = await fixtureFunctions(['meet', 'identify', 'returnsNothing'])
    const [one, other] = await Promise.all([result('meet', 2), result('meet', 2)])
    expect([one, await result('identify')]).toEqual([other, one])
    expect(await result('returnsNothing')).toBeNull()
  })
})

describe('an invocation fails with', () => {
  test('an exception of the handler: it is logged with the request id, and the environment stays', async () => {
    const { invoke, result, log, stop } = await fixtureFunctions(['throws', 'identify'])
    const before = await result('identify')
    await expect(invoke('throws')).rejects.toThrow('thrown by the handler')
    expect(await result('identify')).toBe(before)
    await stop()
    expect(log()).toMatch(new RegExp(`^\\S+Z ${requestId} Error: thrown by the handler\\n +at `))
  })

  test.each([
    ['exits', 'The environment ended'],
    ['crashes', 'thrown outside the handler'],
  ])(
    'the end of the environment (%s): all running invocations fail, and the next event gets a new one',
    async (name, fault) => {
      const { invoke, result, log } = await fixtureFunctions([name, 'never', 'identify'])
      const before = await result('identify')
      const [other, ended] = await Promise.allSettled([invoke('never'), invoke(name)])
      for (const { reason } of [other, ended] as PromiseRejectedResult[])
        expect(reason.message).toContain(fault)
      expect(log()).toContain(fault)
      const after = await Promise.all([result('identify'), result('identify')])
      expect(after).toEqual([after[0], after[0]])
      expect(after[0]).not.toBe(before)
    },
  )

  test('an answer over 6 MB', async () => {
    const { invoke, result } = await fixtureFunctions(['returns'])
    const mostBytes = 6 * 1024 * 1024 + 100 - '""'.length
    expect(await result('returns', mostBytes)).toHaveLength(mostBytes)
    await expect(invoke('returns', mostBytes + 1)).rejects.toThrow('6 MB')
  })
})

describe('a time-out', () => {
  test('fails the invocation, is logged, and the next event gets a new environment', async () => {
    const { invoke, result, clock, log } = await fixtureFunctions(['never', 'identify'])
    const before = await result('identify')
    const timedOut = invoke('never')
    await result('identify') // then the first event is running
    clock.advance(timeoutMs - 1)
    expect(await result('identify')).toBe(before)
    clock.advance(1)
    await expect(timedOut).rejects.toThrow('Task timed out after 29.00 seconds')
    expect(log()).toMatch(new RegExp(`^\\S+Z ${requestId} Task timed out after 29.00 seconds\\n$`))
    expect(await result('identify')).not.toBe(before)
  })

  test('does not end the other running invocations', async () => {
    const { root, write } = copy()
    const { invoke, result, clock } = await fixtureFunctions(['never', 'waits', 'identify'], root)
    const timedOut = invoke('never')
    const before = await result('identify')
    clock.advance(1)
    const other = result('waits', join(root, 'end'))
    await result('identify')
    clock.advance(timeoutMs - 1)
    await expect(timedOut).rejects.toThrow('timed out')
    write('end', '')
    expect(await other).toBe(before)
    expect(clock.scheduled()).toBe(0)
  })

  test('ends a handler that blocks its thread', async () => {
    const clock = fakeClock()
    const environment = await startEnvironment({
      ...{ root: fixtures, handlers: ['handlers.blocks'], variables: {} },
      ...{ timeoutMs, clock, output: () => {} },
    })
    const context = { awsRequestId: requestId }
    const blocked = environment.invoke({ handler: 'handlers.blocks', event: '{}', context })
    clock.advance(timeoutMs)
    await expect(blocked).rejects.toThrow('timed out')
    await environment.ended
  })
})

describe('loading', () => {
  test.each([
    ['a handler that does not exist', '', /handlers\.echo is not a function/],
    ['a handler that is not a function', 'export const echo = 1', /handlers\.echo is not a function/],
    ['a module that throws', 'throw new Error("while it is loaded")', /while it is loaded/],
    ['a module that ends the process', 'process.exit()', /exited while they were loaded/],
    ['a module that is not JavaScript', 'export const {', /Unexpected end of input|Unexpected token/],
  ])('refuses %s', async (_, text, fault) => {
    const { root, edit } = copy()
    edit(text)
    await expect(fixtureFunctions(['echo'], root)).rejects.toThrow(fault)
  })

  test('again keeps the old handlers when it fails, else new events get the new ones, and running ones end', async () => {
    const { root, write, edit } = copy()
    const { result, reload } = await fixtureFunctions(['waits', 'identify'], root)
    const before = await result('identify')
    edit('throw new Error("a mistake")')
    await expect(reload()).rejects.toThrow('a mistake')
    expect(await result('identify')).toBe(before)

    const underWay = result('waits', join(root, 'end'))
    await result('identify')
    edit('export const identify = async () => "new"; export const waits = identify')
    await reload()
    expect(await result('identify')).toBe('new')
    write('end', '')
    expect(await underWay).toBe(before)
  })

  test('is repeated at the next event when the start of an environment failed', async () => {
    const { root, edit } = copy()
    const { invoke, result } = await fixtureFunctions(['exits', 'identify'], root)
    edit('throw new Error("a mistake")')
    await expect(invoke('exits')).rejects.toThrow()
    await expect(invoke('identify')).rejects.toThrow('a mistake')
    edit('export const identify = async () => "corrected"; export const exits = identify')
    expect(await result('identify')).toBe('corrected')
  })
})

test('stopping fails the running invocations', async () => {
  const { invoke, result, stop } = await fixtureFunctions(['never', 'identify'])
  const underWay = invoke('never')
  underWay.catch(() => {})
  await result('identify')
  await stop()
  await expect(underWay).rejects.toThrow('The environment ended')
})
