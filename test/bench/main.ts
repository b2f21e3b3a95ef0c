import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { defineCommand, runCommand } from '../../infra/command-line/command.ts'
import { print } from '../../infra/command-line/output.ts'
import { reportBudget } from './budget.ts'
import { measureColdStart, reportLoaded } from './cold-start.ts'
import { measureData } from './data.ts'
import { measureList } from './list.ts'
import { type Figure, heading, lineOf, summaryOf } from './measured.ts'
import { measureRemoval } from './removal.ts'
import { measureThroughput, reportMemory } from './throughput.ts'
import { measureVerification } from './verification.ts'

const heapMegabytes = 1024

async function* figures(quick: boolean, size: boolean): AsyncGenerator<Figure> {
  const rounds = quick ? 3 : 11
  const fewRounds = Math.min(rounds, 5)
  yield* measureList([10, 100, 1000, ...(quick ? [] : [10_000])], quick ? 1000 : 8000)
  // Fewer would be wrong by more than the quick run may be.
  yield* measureRemoval([1, 100, 1000], 5)
  yield* measureColdStart(rounds * 2)
  yield await measureVerification(rounds * 200)
  yield* measureThroughput(quick ? 150 : 300, fewRounds)
  yield* measureData(quick ? 1000 : 10_000, fewRounds)
  if (size) yield* measureData(100_000, 1)
}

const command = defineCommand('npm run bench --', {
  purpose:
    'Measures the figures that the documents quote, each beside the least that is known to do the same work. Ratios carry from machine to machine, times do not.',
  example: 'npm run bench -- --quick',
})
  .option('--quick', 'Smaller sizes and fewer rounds: less than two minutes.')
  .option('--json', 'Prints the figures as JSON, and nothing else.')
  .option(
    '--size',
    'Also removes 10,000 users, imports and removes 100,000, and answers 100,000 lists; takes twenty minutes more.',
  )
  .action(async ({ quick = false, json = false, size = false }) => {
    const measured: Figure[] = []
    const startMs = performance.now()
    const progress = (text: string) => process.stderr.isTTY && process.stderr.write(`\r\x1b[K${text}`)
    if (!json) print(heading)
    progress('measuring …')
    for await (const figure of figures(quick, size)) {
      measured.push(figure)
      progress('')
      if (!json) print(lineOf(figure))
      progress(`${measured.length} figures, ${Math.round((performance.now() - startMs) / 1000)} s …`)
    }
    progress('')
    if (json) print(JSON.stringify(measured.map(summaryOf), undefined, 2))
    if (!json) {
      print('\nLoaded by the cold start of a list, 5 KB and more')
      reportLoaded(print)
    }
    if (!quick && !json) {
      print('\nTime budget; takes one minute')
      await reportBudget(print)
    }
    if (size && !json) {
      print(`\nSize, under a heap limit of ${heapMegabytes} MB; takes ten minutes`)
      for (const users of [10_000, 100_000]) {
        const program = join(import.meta.dirname, 'size-process.ts')
        execFileSync(process.execPath, [`--max-old-space-size=${heapMegabytes}`, program, String(users)], {
          stdio: 'inherit',
        })
      }
      print('\nMemory of the local stack, at 10 connections')
      await reportMemory(100_000, print)
    }
  })

await runCommand(import.meta.filename, command)
