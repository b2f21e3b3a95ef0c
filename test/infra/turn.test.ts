import { execFile, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { root } from './serverless/packaged.ts'

const run = promisify(execFile)

/** A process that says when it got its turn and when it gave it up. */
const holder = `
  const { takeTurn } = await import('./infra/turn.ts')
  await takeTurn(process.argv[1])
  process.stdout.write(Date.now() + ' ')
  setTimeout(() => process.stdout.write(String(Date.now())), 200)
`
const hold = (path: string) =>
  run(process.execPath, ['--input-type=module', '-e', holder, path], { cwd: root })

function newPath() {
  const folder = mkdtempSync(join(tmpdir(), 'turn-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return join(folder, 'inner', 'turn')
}

test('of several processes one has its turn at a time, and none leaves it behind', async () => {
  const path = newPath()
  const said = await Promise.all([hold(path), hold(path), hold(path)])
  const turns = said.map(({ stdout }) => stdout.split(' ').map(Number)).sort(([a = 0], [b = 0]) => a - b)
  turns.forEach(([from = 0], index) => {
    if (index > 0) expect(from).toBeGreaterThanOrEqual(turns[index - 1]?.[1] ?? 0)
  })
  expect(existsSync(path)).toBe(false)
})

test('a process that is dead has its turn no more', async () => {
  const path = newPath()
  await hold(path)
  const { pid } = spawnSync(process.execPath, ['--version'])
  writeFileSync(path, String(pid))
  expect((await hold(path)).stdout).toMatch(/^\d+ \d+$/)
})
