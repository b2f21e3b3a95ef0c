/** Samples of one run, taken in turns: ours, and those of the plain service, which does the same work. */
export interface Figure {
  name: string
  /** Milliseconds of CPU time. */
  ours: number[]
  plain: number[]
}

/** Takes a sample of each in turns, and lets them change places, so that none always runs on warm caches. */
export async function inTurns<Name extends string, Sample>(
  rounds: number,
  takes: Record<Name, () => Promise<Sample>>,
): Promise<Record<Name, Sample[]>> {
  const names = Object.keys(takes) as Name[]
  const samples = Object.fromEntries(names.map(name => [name, []])) as unknown as Record<Name, Sample[]>
  for (let round = 0; round < rounds; round++)
    for (const name of round % 2 === 0 ? names : names.toReversed()) samples[name].push(await takes[name]())
  return samples
}

/**
 * One row of the report, in Markdown: medians, spread (10th to 90th percentile), and the median of the ratios of each turn,
 * because the two samples of a turn meet the same load of the machine, which changes by more than most ratios do.
 */
export function lineOf({ name, ours, plain }: Figure): string {
  const ratio = percentile(
    ours.map((sample, turn) => sample / (plain[turn] ?? Number.NaN)),
    0.5,
  )
  return rowOf([name.padEnd(27), spreadOf(ours), spreadOf(plain), ratio.toFixed(2)])
}

const rowOf = (cells: string[]) => `| ${cells.join(' | ')} |`

/** The heading of the rows. */
export const heading = [
  rowOf(['ms of CPU time'.padEnd(27), 'ours'.padEnd(21), 'plain service'.padEnd(21), 'ratio']),
  rowOf(['---', '---', '---', '---']),
].join('\n')

const percentile = (samples: number[], share: number) =>
  samples.toSorted((a, b) => a - b)[Math.round(share * (samples.length - 1))] ?? Number.NaN

const spreadOf = (samples: number[]) => {
  const [median = '', p10, p90] = [0.5, 0.1, 0.9].map(share => rounded(percentile(samples, share)))
  return `${median} [${p10}–${p90}]`.padEnd(21)
}

/** Three digits, or all before the point. */
const rounded = (value: number) =>
  value.toFixed(Math.max(0, 2 - Math.floor(Math.log10(Math.max(value, 0.01)))))
