import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { InvalidArgumentError } from '@commander-js/extra-typings'
import { defineCommand, runCommand } from '../../infra/command-line/command.ts'
import { print } from '../../infra/command-line/output.ts'
import { projectRoot } from '../../infra/project-root.ts'
import { measurements } from './measurements.ts'
import { openSide } from './side.ts'

/** The parser of the option: a folder with the sources of this project, and their packages. */
function checkout(text: string): string {
  const folder = resolve(text)
  if (!existsSync(join(folder, 'functions/list-saml-providers.ts')))
    throw new InvalidArgumentError('It must be a folder with a checkout of this project.')
  if (!existsSync(join(folder, 'node_modules')))
    throw new InvalidArgumentError('It has no packages yet: run `npm ci` there.')
  return folder
}

export const command = defineCommand('npm run bench --', {
  purpose:
    'Measures the functions of this checkout and of another one in turns. A ratio above 1 means that this checkout takes more; ratios carry from machine to machine, times do not.',
  example: 'npm run bench -- --against ../other',
})
  .requiredOption('--against <FOLDER>', 'Required: the other checkout, with its packages.', checkout)
  .action(async ({ against }) => {
    const builds = join(projectRoot, '.build/bench')
    const sides = [
      await openSide(projectRoot, join(builds, 'here')),
      await openSide(against, join(builds, 'there')),
    ]
    print('| ms of CPU time | this checkout | the other | ratio | its middle half |')
    print('| --- | --- | --- | --- | --- |')
    for (const { name, warmUpTurns, turns, prepare } of measurements) {
      // After an error it is not disposed of, but ends with this process: a call of a function may still be running.
      const running = new AsyncDisposableStack()
      const takes = await Promise.all(sides.map(async open => prepare(await open(running), running)))
      await inTurns(warmUpTurns, takes)
      print(rowOf(name, await inTurns(turns, takes)))
      await running.disposeAsync()
    }
  })

/** Lets the sides change places, so that none always runs on warm caches. @returns the samples of each side */
async function inTurns(turns: number, takes: (() => Promise<number>)[]): Promise<number[][]> {
  const sides = takes.map(take => ({ take, samples: [] as number[] }))
  for (let turn = 0; turn < turns; turn++)
    for (const { take, samples } of turn % 2 === 0 ? sides : sides.toReversed()) samples.push(await take())
  return sides.map(({ samples }) => samples)
}

/** The samples of a turn meet the same load of the machine, which changes by more than most ratios do. */
function rowOf(name: string, [here = [], there = []]: number[][]): string {
  const ratios = here.map((ms, turn) => ms / (there[turn] ?? Number.NaN))
  const [low, ratio, high] = [1, 2, 3].map(n => quartile(n, ratios).toFixed(2))
  const [ours, theirs] = [here, there].map(samples => Number(quartile(2, samples).toPrecision(3)))
  return `| ${name} | ${ours} | ${theirs} | ${ratio} | ${low} to ${high} |`
}

const quartile = (n: number, samples: number[]) =>
  samples.toSorted((a, b) => a - b)[Math.round((n / 4) * (samples.length - 1))] ?? Number.NaN

await runCommand(import.meta.filename, command)
