import { expect } from 'vitest'
import type { World } from '../support/world.ts'

export const realm = 'Bearer realm="identity-provider-administration"'

/** Asks, and sees that the answer is this refusal, and that nothing was changed. */
export async function refuses(
  w: World,
  ask: () => ReturnType<World['list']>,
  status: number,
  code: string,
  challenge?: string,
) {
  const before = await w.items()
  const { headers, ...answer } = await ask()
  expect([answer.status, answer.json().code, headers['WWW-Authenticate']]).toEqual([status, code, challenge])
  expect(await w.items()).toEqual(before)
}
