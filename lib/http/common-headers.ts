/** What every answer carries, whoever gives it: the functions, or the gateway where it has none of theirs. */
export const commonHeaders = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
  Vary: 'Prefer, Accept-Encoding',
} as const
