import { constants, createReadStream, createWriteStream, openSync, type Stats } from 'node:fs'
import { Socket } from 'node:net'
import { dirname } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** Opens what is no regular file, and can be read only once. */
export function openOnce(path: string, stat: Stats): Readable {
  if (!stat.isFIFO()) return createReadStream(path)
  // A file stream would wait for a writer where nothing can interrupt it.
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  return new Socket({ fd, readable: true, writable: false })
}

/**
 * Copies a stream into a new file.
 *
 * @param advance called with the number of bytes copied
 * @throws Error of one sentence when the disk is full
 */
export async function copyInto(
  path: string,
  input: Readable,
  advance: (bytes: number) => void,
  signal: AbortSignal,
): Promise<void> {
  async function* counted(chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      advance(chunk.length)
      yield chunk
    }
  }
  try {
    await pipeline(input, counted, createWriteStream(path), { signal })
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (!['ENOSPC', 'EDQUOT'].includes(code)) throw error
    throw new Error(
      `The input is copied to ${dirname(path)} first, and the disk is full there: free some space, or set TMPDIR to a folder on another disk.`,
    )
  }
}
