/**
 * Calls a function for every item of a stream with limited concurrency; returns or throws when no call is running.
 *
 * @param atOnce the maximum number of running calls, ≥ 1
 * @throws the first error; no further item is read after it
 */
export async function forEachStreamed<T>(
  items: AsyncGenerator<T>,
  atOnce: number,
  act: (item: T) => Promise<void>,
): Promise<void> {
  const errors: unknown[] = []
  const work = async () => {
    while (errors.length === 0) {
      try {
        const next = await items.next()
        if (next.done) return
        await act(next.value)
      } catch (error) {
        errors.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  await items.return(undefined)
  if (errors.length > 0) throw errors[0]
}
