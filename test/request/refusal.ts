import { expect } from 'vitest'
import type { World } from '../support/world.ts'

export const realm = 'Bearer realm="identity-provider-administration"'

/** Expects that the request is refused like this and changes nothing. */
export async function refuses(
  w: World,
  send: () => ReturnType<World['list']>,
  status: number,
  code: string,
  challenge?: string,
) {
  const before = await w.items()
  const { headers, ...answer } = await send()
  expect([answer.status, answer.json().code, headers['WWW-Authenticate']]).toEqual([status, code, challenge])
  expect(await w.items()).toEqual(before)
}
