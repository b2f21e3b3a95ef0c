import { expect, test } from 'vitest'
import { openDisplay } from '../../infra/data/display.ts'
import { fakeClock } from '../support/fake-clock.ts'

function fakeTerminal(isTTY: boolean) {
  let written = ''
  const write = (text: string) => {
    written += text
    return true
  }
  return { stream: { isTTY, write: write as NodeJS.WriteStream['write'] }, written: () => written }
}

test('without a terminal, a phase prints its progress every five seconds until it ends', async () => {
  const clock = fakeClock()
  const { stream, written } = fakeTerminal(false)
  const { say, phase } = openDisplay(stream, clock)
  await phase('items', undefined, async advance => {
    advance(3)
    clock.advance(4999)
    expect(written()).toBe('')
    clock.advance(1)
    advance(4)
    say('a message')
    clock.advance(5000)
  })
  const failing = phase('users', 400, async advance => {
    advance(101)
    clock.advance(5000)
    throw new Error('no users')
  })
  await expect(failing).rejects.toThrow('no users')
  clock.advance(60_000)
  expect(clock.scheduled()).toBe(0)
  expect(written()).toBe('items: 3\na message\nitems: 7\nusers: 25 %, 15 s left\n')
})

test('on a terminal, a phase rewrites one line, and messages stay above it', async () => {
  const clock = fakeClock()
  const { stream, written } = fakeTerminal(true)
  const { say, phase } = openDisplay(stream, clock)
  await phase('repairs', 4, async advance => {
    clock.advance(100)
    advance(1)
    clock.advance(100)
    say('a message')
    advance(3)
    clock.advance(100)
  })
  say('the end')
  expect(written().split('\r\x1b[K')).toEqual([
    '',
    'repairs: 0 %',
    'repairs: 25 %, 1 s left',
    'a message\nrepairs: 25 %, 1 s left',
    'repairs: 100 %, 0 s left',
    '',
    'the end\n',
  ])
})
