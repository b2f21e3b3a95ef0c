import { join } from 'node:path'
import { defineCommand, runCommand } from '../../infra/command-line/command.ts'
import { print } from '../../infra/command-line/output.ts'
import { checkOut } from './check-out.ts'
import { headingOf, rowOf } from './in-turns.ts'
import { measurements } from './measurements.ts'
import { openSide } from './side.ts'

const quickShare = 0.2

const command = defineCommand('npm run bench --', {
  purpose:
    'Measures the functions of this checkout and of a commit in turns. A ratio above 1 means that this checkout takes more; ratios carry from machine to machine, times do not.',
  example: 'npm run bench -- --against main',
})
  .requiredOption('--against <COMMIT>', 'Required: the commit to compare with, by any name that Git knows.')
  .option('--quick', 'A fifth of the rounds.')
  .action(async ({ against, quick = false }) => {
    const { name, root, builds } = await checkOut(against)
    const here = await openSide(join(builds, 'here'))
    const there = await openSide(join(builds, 'there'), root).catch(error => {
      throw new Error(`The bench cannot use the sources of ${name}: ${error.message}`)
    })
    print(headingOf(name))
    for (const measurement of measurements)
      print(await rowOf(measurement, { here, there }, quick ? quickShare : 1))
  })

await runCommand(import.meta.filename, command)
