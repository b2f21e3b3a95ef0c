/** Samples of one run, taken in turns: ours, and a floor that nothing doing the same work can go below. */
export interface Measured {
  name: string
  unit: 'µs' | 'ms'
  floor: number[]
  ours: number[]
  /** What the ratio or the difference is to stay below. */
  target: string
}

/** One line, with medians, spread (10th to 90th percentile) and the ratio of the medians. */
export function lineOf({ name, unit, floor, ours, target }: Measured): string {
  const ratio = median(ours) / median(floor)
  return `${name.padEnd(52)} floor ${shown(floor)} ${unit}   ours ${shown(ours)} ${unit}   ratio ${ratio.toFixed(2)}   (${target})`
}

const percentile = (samples: number[], share: number) =>
  samples.toSorted((a, b) => a - b)[Math.round(share * (samples.length - 1))] ?? Number.NaN

const median = (samples: number[]) => percentile(samples, 0.5)

const shown = (samples: number[]) =>
  `${median(samples).toFixed(1)} [${percentile(samples, 0.1).toFixed(1)}–${percentile(samples, 0.9).toFixed(1)}]`

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now()
  await work()
  return performance.now() - startMs
}
