import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { options, orRefuse } from '../../infra/command-line/options.ts'
import { reportBudget } from './budget.ts'
import { lineOf } from './measured.ts'
import { measureRemoval } from './removal.ts'
import { measureVerification } from './verification.ts'

// npm run bench [-- --size]: the figures that the README quotes. Ratios carry from machine to machine, times do not.

const heapMegabytes = 1024
const print = (line: string) => process.stdout.write(`${line}\n`)
const { size } = orRefuse(() => options({ size: { type: 'boolean' } }, '--size'))

print('Token verification')
print(lineOf(await measureVerification()))

print('\nRemoval; takes two minutes')
for (const measured of await measureRemoval()) print(lineOf(measured))

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
