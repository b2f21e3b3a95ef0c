import { expect } from 'vitest'
import type { ImportOptions } from '../../../infra/data/import/import-records.ts'
import type { DataScenario } from '../scenario.ts'

/** Expects that an update tells these faults and writes nothing, and that a dry run tells the same. */
export async function expectFaults(
  s: DataScenario,
  text: string,
  faults: unknown[],
  options: ImportOptions = {},
): Promise<void> {
  const before = await s.items()
  for (const dryRun of [true, false]) {
    const { told, differences } = await s.import(text, { update: true, dryRun, ...options })
    expect(told.filter(line => !differences.includes(line))).toEqual(faults)
    expect(await s.items()).toEqual(before)
  }
}
