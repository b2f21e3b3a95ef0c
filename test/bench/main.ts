import { defineCommand, runCommand } from '../../infra/command-line/command.ts'
import { print } from '../../infra/command-line/output.ts'
import { measureColdStart } from './cold-start.ts'
import { measureLists } from './lists.ts'
import { type Figure, heading, lineOf } from './measured.ts'
import { measureRemovals } from './removals.ts'
import { buildBoth } from './services.ts'

async function* figures(quick: boolean): AsyncGenerator<Figure> {
  await buildBoth()
  const rounds = quick ? 3 : 11
  yield* measureLists(rounds * 5)
  yield* measureRemovals(rounds)
  yield* measureColdStart(quick ? 7 : 21)
}

const command = defineCommand('npm run bench --', {
  purpose:
    'Measures both endpoints beside a plain service of the same two endpoints, in turns. Ratios carry from machine to machine, times do not.',
  example: 'npm run bench -- --quick',
})
  .option('--quick', 'Fewer rounds.')
  .action(async ({ quick = false }) => {
    print(heading)
    for await (const figure of figures(quick)) print(lineOf(figure))
  })

await runCommand(import.meta.filename, command)
