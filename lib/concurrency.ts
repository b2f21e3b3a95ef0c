/**
 * Does something for every item, a few at a time, and returns or throws only when nothing of it runs any more.
 *
 * @param atOnce how many may be under way, ≥ 1
 * @throws the first error; no further item is started after it
 */
export async function forEachConcurrently<T>(
  items: readonly T[],
  atOnce: number,
  act: (item: T) => Promise<void>,
) {
  const queue = items.values()
  const errors: unknown[] = []
  const work = async () => {
    for (const item of queue) {
      try {
        await act(item)
      } catch (error) {
        errors.push(error)
      }
      if (errors.length > 0) return
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  if (errors.length > 0) throw errors[0]
}

/**
 * What `read` gives for each item, in the items' order, while the next few are already being read.
 * Whoever stops early or meets an error waits until nothing runs any more.
 *
 * @param ahead how many may be under way, ≥ 1
 */
export async function* prefetch<T, R>(items: readonly T[], ahead: number, read: (item: T) => Promise<R>) {
  const running: Promise<R>[] = []
  try {
    for (const item of items) {
      const reading = read(item)
      // Its error is thrown when its turn comes; until then it must not count as unhandled.
      reading.catch(() => {})
      running.push(reading)
      if (running.length >= ahead) yield await (running.shift() as Promise<R>)
    }
    for (let next = running.shift(); next !== undefined; next = running.shift()) yield await next
  } finally {
    await Promise.allSettled(running)
  }
}

/**
 * The values, the first of which is made while other work runs.
 *
 * @throws the error of the work, else that of the first value, as soon as nothing of them runs any more
 */
export async function firstBeside<T>(
  work: Promise<unknown>,
  values: AsyncGenerator<T>,
): Promise<AsyncIterable<T>> {
  const [worked, first] = await Promise.allSettled([work, values.next()])
  if (worked.status === 'rejected') {
    await values.return(undefined)
    throw worked.reason
  }
  if (first.status === 'rejected') throw first.reason
  return prepended(first.value, values)
}

async function* prepended<T>(first: IteratorResult<T>, rest: AsyncGenerator<T>) {
  try {
    if (first.done !== true) yield first.value
    yield* rest
  } finally {
    await rest.return(undefined)
  }
}

/** The items in runs of `size`, the last one shorter. */
export function chunk<T>(items: readonly T[], size: number): T[][] {
  const chunks: T[][] = []
  for (let start = 0; start < items.length; start += size) chunks.push(items.slice(start, start + size))
  return chunks
}
