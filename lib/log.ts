/** Every event there is; what each means and who must act stands in the README's "Log events". */
export const levels = {
  request_answered: 'INFO',
  removal_started: 'INFO',
  removal_resumed: 'INFO',
  removal_finished: 'INFO',
  removal_replayed: 'INFO',
  membership_drift: 'WARN',
  token_rejected: 'INFO',
  warm_up_failed: 'WARN',
  unexpected_error: 'ERROR',
} as const

export type LogEvent = keyof typeof levels

/** Writes one event; never give it a token, nor anything personal beyond a user id. */
export type Log = (
  event: LogEvent,
  facts: Readonly<Record<string, string | number | boolean | undefined>>,
) => void

/** One JSON object per line, with what is common to all lines of a request. */
export const jsonLines =
  (write: (line: string) => void, nowMs: () => number): Log =>
  (event, facts) =>
    write(
      `${JSON.stringify({ timestamp: new Date(nowMs()).toISOString(), level: levels[event], event, ...facts })}\n`,
    )
