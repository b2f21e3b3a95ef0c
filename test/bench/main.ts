import { defineCommand, runCommand } from '../../infra/command-line/command.ts'
import { print } from '../../infra/command-line/output.ts'
import { measureColdStart } from './cold-start.ts'
import { measureImport } from './data.ts'
import { measureLists } from './lists.ts'
import { type Figure, heading, lineOf } from './measured.ts'
import { measurePace } from './pace.ts'
import { measureRemovals } from './removals.ts'
import { buildBoth } from './services.ts'

async function* figures(quick: boolean): AsyncGenerator<Figure> {
  await buildBoth()
  const rounds = quick ? 3 : 11
  yield* measureLists(rounds * 5)
  yield* measureRemovals(rounds)
  yield* measureColdStart(quick ? 7 : 21)
  yield* measureImport(quick ? 1000 : 10_000, quick ? 3 : 5)
}

const command = defineCommand('npm run bench --', {
  purpose:
    'Measures both endpoints beside a plain service of the same two endpoints, in turns. Ratios carry from machine to machine, times do not.',
  example: 'npm run bench -- --quick',
})
  .option('--quick', 'Fewer rounds, and an import of 1,000 users only.')
  .option(
    '--pace',
    'Instead: removals of up to ten million users on a virtual clock, under the limits of a table.',
  )
  .action(async ({ quick = false, pace = false }) => {
    if (pace) {
      for await (const row of measurePace()) print(JSON.stringify(row))
      return
    }
    print(heading)
    for await (const figure of figures(quick)) print(lineOf(figure))
  })

await runCommand(import.meta.filename, command)
