/** Samples of one run, taken in turns: ours, and a floor: the least that is known to do the same work. */
export interface Figure {
  name: string
  unit: string
  floor: number[]
  ours: number[]
  /** What the ratio is to stay at or below. */
  target?: number
}

/** Takes one sample of each in turns, and lets them change places, so that neither always runs on warm caches. */
export async function inTurns(
  rounds: number,
  floor: (round: number) => Promise<number>,
  ours: (round: number) => Promise<number>,
): Promise<Pick<Figure, 'floor' | 'ours'>> {
  const samples = { floor: [] as number[], ours: [] as number[] }
  for (let round = 0; round < rounds; round++) {
    if (round % 2 === 0) samples.floor.push(await floor(round))
    samples.ours.push(await ours(round))
    if (round % 2 === 1) samples.floor.push(await floor(round))
  }
  return samples
}

/** Takes samples in turns for a time, after as long a warm-up as the code takes to be compiled. */
export async function inTurnsFor(
  ms: number,
  floor: () => Promise<number>,
  ours: () => Promise<number>,
): Promise<Pick<Figure, 'floor' | 'ours'>> {
  const samples = { floor: [] as number[], ours: [] as number[] }
  const startMs = performance.now()
  while (performance.now() - startMs < ms * 1.5) {
    const isWarm = performance.now() - startMs > ms * 0.5
    const pair = await inTurns(2, floor, ours)
    if (!isWarm) continue
    samples.floor.push(...pair.floor)
    samples.ours.push(...pair.ours)
  }
  return samples
}

/** Milliseconds of CPU time that this process spends on some work: the engine, another process, does not count. */
export async function cpuMs(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

/** Milliseconds that some work takes, the engine's part included. */
export async function wallMs(work: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now()
  await work()
  return performance.now() - startMs
}

/**
 * Medians, spread (10th to 90th percentile), and the median of the ratios of each turn: the two samples of a turn meet the
 * same load of the machine, which changes from minute to minute by more than most ratios do.
 */
export const summaryOf = ({ name, unit, floor, ours, target }: Figure) => ({
  name,
  unit,
  floor: spreadOf(floor),
  ours: spreadOf(ours),
  ratio: percentile(
    ours.map((sample, turn) => sample / (floor[turn] ?? Number.NaN)),
    0.5,
  ),
  target,
})

/** One row of the report, in Markdown. */
export function lineOf(figure: Figure): string {
  const { name, unit, floor, ours, ratio, target } = summaryOf(figure)
  const goal = target === undefined ? '' : `${ratio <= target ? '' : 'missed: '}${target}`
  return rowOf([name.padEnd(47), shown(floor), shown(ours), unit.padEnd(7), ratio.toFixed(2), goal])
}

const rowOf = (cells: string[]) => `| ${cells.join(' | ')} |`

/** The heading of the rows. */
export const heading = [
  rowOf(['`npm run bench`'.padEnd(47), 'floor'.padEnd(21), 'ours'.padEnd(21), 'unit   ', 'ratio', 'goal']),
  rowOf(['---', '---', '---', '---', '---', '---']),
].join('\n')

const percentile = (samples: number[], share: number) =>
  samples.toSorted((a, b) => a - b)[Math.round(share * (samples.length - 1))] ?? Number.NaN

const spreadOf = (samples: number[]) => ({
  median: percentile(samples, 0.5),
  p10: percentile(samples, 0.1),
  p90: percentile(samples, 0.9),
})

const shown = ({ median, p10, p90 }: ReturnType<typeof spreadOf>) =>
  `${rounded(median)} [${rounded(p10)}–${rounded(p90)}]`.padEnd(21)

/** Three digits, or all before the point. */
const rounded = (value: number) =>
  value.toFixed(Math.max(0, 2 - Math.floor(Math.log10(Math.max(value, 0.01)))))
