/** The headers of every answer, of the functions and of the gateway. */
export const commonHeaders = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
  Vary: 'Prefer, Accept-Encoding',
} as const
