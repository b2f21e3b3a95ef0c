import { once } from 'node:events'

/** Writes to standard output, and waits while its buffer is full. */
export async function write(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain')
}
