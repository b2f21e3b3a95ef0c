import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { projectRoot } from '../../../infra/project-root.ts'

// test/infra/dynamodb/transactions.test.ts compares with the replacement.

/** What dynalite alone says about a condition that an equal value meets; printed by a process of its own. */
const program = `
import db from 'dynalite/db/index.js'
const holds = value => {
  const expression = { type: '=', args: [['roles'], structuredClone(value)] }
  return !db.checkConditional({ _condition: { expression } }, { roles: value })
}
console.log(holds({ S: 'one' }), holds({ L: [{ S: 'one' }] }), holds({ M: { id: { N: '1' } } }))
`

test('dynalite alone finds equal maps and lists unequal: if this fails, comparison.ts may go', async () => {
  const parameters = ['--input-type=module', '-e', program]
  const { stdout } = await promisify(execFile)(process.execPath, parameters, { cwd: projectRoot })
  expect(stdout).toBe('true false false\n')
})
