/**
 * Does something for every item as it comes, a few at a time; returns or throws only when nothing of it runs any more.
 *
 * @param atOnce how many may be under way, ≥ 1
 * @throws the first error; no further item is asked for after it
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
