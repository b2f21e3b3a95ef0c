import { closeSync, openSync } from 'node:fs'
import { describe, expect, onTestFinished, test } from 'vitest'
import { sampleProvider } from '../support/samples.ts'
import { runData } from './command-process.ts'
import { itemsOf, sharedScenario } from './scenario.ts'

// A device that is always full, as a disk can be.
describe.skipIf(process.platform !== 'linux')('npm run data, when what it prints cannot be written,', () => {
  test.each([
    ['export', 1],
    ['verify', 2],
  ])('says so and does not end as if all were well: %s', async (command, code) => {
    const s = await sharedScenario()
    await s.put(...itemsOf([sampleProvider(7)], []))
    const full = openSync('/dev/full', 'w')
    onTestFinished(() => closeSync(full))
    const { outcome } = runData([command, '--table', s.tableName], { stdout: full })
    expect(await outcome).toEqual({
      code,
      stdout: '',
      stderr: 'Standard output cannot be used: the disk is full; free some space.\n',
    })
  })
})
