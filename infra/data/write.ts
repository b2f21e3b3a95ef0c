import { once } from 'node:events'

/** Writes to standard output, and waits until its reader has taken enough of it. */
export async function write(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain')
}
