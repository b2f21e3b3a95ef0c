import { expect, test } from 'vitest'
import { lines } from '../../infra/data/display.ts'
import { fakeClock } from '../support/fake-clock.ts'

test('without a terminal, a phase prints its progress every five seconds until it ends', () => {
  const clock = fakeClock()
  let printed = ''
  const { say, phase } = lines(text => {
    printed += text
  }, clock)
  const items = phase('items')
  items.advance(3)
  clock.advance(4999)
  expect(printed).toBe('')
  clock.advance(1)
  items.advance(4)
  say('a message')
  clock.advance(5000)
  items.end()
  const users = phase('users', 400)
  users.advance(101)
  clock.advance(5000)
  users.end()
  clock.advance(60_000)
  expect(printed).toBe('items: 3\na message\nitems: 7\nusers: 25 %\n')
})
