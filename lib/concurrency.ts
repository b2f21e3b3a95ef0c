/** Items that are there, or that are read one after another. */
export type Items<T> = Iterable<T> | AsyncIterable<T>

/**
 * Calls `act` for every item with limited concurrency. It returns or throws when no call is running.
 *
 * @param atOnce the maximum number of running calls, ≥ 1
 * @throws the first error; no further item is taken after it
 */
export async function forEachConcurrently<T>(
  items: Items<T>,
  atOnce: number,
  act: (item: T) => Promise<void>,
) {
  const queue = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]()
  const errors: unknown[] = []
  const work = async () => {
    try {
      while (errors.length === 0) {
        const next = await queue.next()
        if (next.done || errors.length > 0) return
        await act(next.value)
      }
    } catch (error) {
      errors.push(error)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  try {
    await queue.return?.()
  } catch (error) {
    errors.push(error)
  }
  if (errors.length > 0) throw errors[0]
}

/**
 * Yields the result of `read` for each item in order, while the next ones are already being read. When the consumer stops
 * or a read fails, it ends after the last running read.
 *
 * @param ahead the maximum number of running reads, ≥ 1
 */
export async function* prefetch<T, R>(items: Items<T>, ahead: number, read: (item: T) => Promise<R>) {
  const running: Promise<R>[] = []
  try {
    for await (const item of items) {
      const reading = read(item)
      // Its error is thrown in order; until then it must not count as unhandled.
      reading.catch(() => {})
      running.push(reading)
      if (running.length >= ahead) yield await (running.shift() as Promise<R>)
    }
    for (let next = running.shift(); next !== undefined; next = running.shift()) yield await next
  } finally {
    await Promise.allSettled(running)
  }
}

/** Splits the items into arrays of `size`; the last one may be shorter. */
export function chunk<T>(items: readonly T[], size: number): T[][] {
  const chunks: T[][] = []
  for (let start = 0; start < items.length; start += size) chunks.push(items.slice(start, start + size))
  return chunks
}
