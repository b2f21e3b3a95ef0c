import { mkdtempSync, openSync, existsSync, readdirSync, rmdirSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { appendTo, openSpool } from '../../../infra/data/import/spool.ts'
import { userItem } from '../../../lib/store/items.ts'
import { sampleUser, userId } from '../../support/samples.ts'

describe('the temporary file of an import', () => {
  test('gives the users in chunks, as often as it is read, counts their links, and has no name', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'spool-'))
    onTestFinished(() => rmdirSync(folder))
    vi.stubEnv('TMPDIR', folder)
    onTestFinished(() => void vi.unstubAllEnvs())
    using spool = openSpool()
    expect(readdirSync(folder)).toEqual([])
    const users = Array.from({ length: 100 }, (_, n) => sampleUser(n, n < 30 ? { saml: 7 } : {}))
    const entries = users.map((user, n) => ({ place: `file:${n}`, item: userItem(user) }))
    for (const [n, entry] of entries.entries()) expect(spool.add(userId(n), entry)).toBe(true)
    for (const entry of entries.slice(0, 1)) expect(spool.add(userId(0), entry)).toBe(false)
    let advanced = 0
    for (let reading = 1; reading <= 2; reading++) {
      const chunks = await Array.fromAsync(spool.chunks(by => (advanced += by)))
      expect(chunks.flat()).toEqual(entries)
      expect(chunks.map(chunk => chunk.length)).toEqual([49, 49, 2])
    }
    expect([spool.size(), advanced]).toEqual([100, 200])
    expect([...spool.links()].map(({ users }) => users)).toEqual([30, 70])
  })

  test('can be read again, and closed, after a reading that was left', async () => {
    const spool = openSpool()
    const entries = Array.from({ length: 100 }, (_, n) => ({ place: `${n}`, item: userItem(sampleUser(n)) }))
    for (const [n, entry] of entries.entries()) spool.add(userId(n), entry)
    for await (const chunk of spool.chunks(() => {})) {
      expect(chunk).toEqual(entries.slice(0, 49))
      break
    }
    // What the reading has left running ends meanwhile.
    for (let n = 0; n < 100; n++) await stat(tmpdir())
    expect((await Array.fromAsync(spool.chunks(() => {}))).flat()).toEqual(entries)
    spool[Symbol.dispose]()
  })

  test.runIf(existsSync('/dev/full'))('is refused in one sentence when the disk is full', () => {
    expect(() => appendTo(openSync('/dev/full', 'w'), 'text', 'It is full.')).toThrow(/^It is full\.$/)
  })
})
