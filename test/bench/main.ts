import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { runCommand } from '../../infra/command-line/command.ts'
import { reportBudget } from './budget.ts'
import { measureData } from './data.ts'
import { lineOf } from './measured.ts'
import { measureRemoval } from './removal.ts'
import { measureVerification } from './verification.ts'

const heapMegabytes = 1024
const print = (line: string) => process.stdout.write(`${line}\n`)

await runCommand({
  name: 'npm run bench --',
  purpose:
    'Measures the figures that test/README.md quotes. Ratios carry from machine to machine, times do not.',
  options: {
    size: { type: 'boolean', description: 'Also removes 10,000 and 100,000 users; takes ten minutes more.' },
  },
  example: 'npm run bench -- --size',
  async run({ size }) {
    print('Token verification')
    print(lineOf(await measureVerification()))

    print('\nRemoval; takes two minutes')
    for (const measured of await measureRemoval()) print(lineOf(measured))

    print('\nFilling and checking the table; takes two minutes')
    for (const measured of await measureData()) print(lineOf(measured))

    print('\nTime budget; takes one minute')
    await reportBudget(print)

    if (size) {
      print(`\nSize, under a heap limit of ${heapMegabytes} MB; takes ten minutes`)
      for (const users of [10_000, 100_000]) {
        const program = join(import.meta.dirname, 'size-process.ts')
        execFileSync(process.execPath, [`--max-old-space-size=${heapMegabytes}`, program, String(users)], {
          stdio: 'inherit',
        })
      }
    }
  },
})
