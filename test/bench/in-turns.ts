import type { Side } from './side.ts'

/** Something of this checkout, and the same of the other commit. */
interface Sides<Of> {
  here: Of
  there: Of
}
const names = ['here', 'there'] as const

/** What is measured of a side. */
export interface Measurement {
  name: string
  /** Until the code is compiled. */
  warmUpRounds: number
  rounds: number
  /**
   * Prepares a side.
   *
   * @param running gets what has to be undone
   * @returns takes a sample, in milliseconds of CPU time
   */
  prepare(side: Side, running: AsyncDisposableStack): Promise<() => Promise<number>>
}

/** The heading of the report, in Markdown. @param name of the commit */
export const headingOf = (name: string) =>
  `${lineOf(['ms of CPU time', 'this checkout', name, 'ratio'])}\n| --- | --- | --- | --- |`

/**
 * Measures the two sides in turns.
 *
 * @param share of the rounds
 * @returns a row of the report: medians, spread (10th to 90th percentile), and the median of the ratios of each turn, because
 * the two samples of a turn meet the same load of the machine, which changes by more than most ratios do
 */
export async function rowOf(measurement: Measurement, sides: Sides<Side>, share: number): Promise<string> {
  const { name, warmUpRounds, rounds, prepare } = measurement
  await using running = new AsyncDisposableStack()
  const takes = { here: await prepare(sides.here, running), there: await prepare(sides.there, running) }
  await inTurns(share * warmUpRounds, takes)
  const { here, there } = await inTurns(share * rounds, takes)
  const ratios = here.map((sample, turn) => sample / (there[turn] ?? Number.NaN))
  return lineOf([name, spreadOf(here), spreadOf(there), percentile(ratios, 0.5).toFixed(2)])
}

/** Lets the two change places, so that none always runs on warm caches. */
async function inTurns(rounds: number, takes: Sides<() => Promise<number>>): Promise<Sides<number[]>> {
  const samples: Sides<number[]> = { here: [], there: [] }
  for (let round = 0; round < rounds; round++)
    for (const side of round % 2 === 0 ? names : names.toReversed()) samples[side].push(await takes[side]())
  return samples
}

const widths = [21, 21, 21, 5]
const lineOf = (cells: string[]) => `| ${cells.map((cell, n) => cell.padEnd(widths[n] ?? 0)).join(' | ')} |`

const percentile = (samples: number[], share: number) =>
  samples.toSorted((a, b) => a - b)[Math.round(share * (samples.length - 1))] ?? Number.NaN

const spreadOf = (samples: number[]) => {
  const [median = '', p10, p90] = [0.5, 0.1, 0.9].map(share => rounded(percentile(samples, share)))
  return `${median} [${p10}–${p90}]`
}

const rounded = (value: number) => Number(value.toPrecision(3))
