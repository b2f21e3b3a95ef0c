import { createHash } from 'node:crypto'

export const dayMs = 86_400_000

/** When the sample organisation began to use the service. */
export const startMs = Date.UTC(2024, 2, 4, 8, 30, 15, 250)

export const isoTime = (ms: number) => new Date(ms).toISOString()

export const absentTime = {
  plain: '0001-01-01T00:00:00Z',
  nullable: { time: '0001-01-01T00:00:00Z', valid: false },
}

export const filled = (string: string) => ({ string, valid: string !== '' })

/** A UUID that is the same at every start (RFC 9562 §5.8: version 8, made as one likes). */
export function idOf(name: string): string {
  const hex = createHash('sha256').update(name).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
