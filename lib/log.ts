import { embeddedMetrics } from './metrics.ts'

const aboutRemoval = ['provider_id', 'removal_id', 'affected_total'] as const

/** Every event there is, with the fields it may have; what each means stands in infra/README.md, "Log events". */
export const events = {
  request_answered: {
    level: 'INFO',
    fields: [
      ...(['method', 'route', 'status', 'code', 'duration_ms', 'cold_start'] as const),
      ...(['issuer', 'client', 'subject'] as const),
    ],
  },
  answer_cut: { level: 'WARN', fields: ['code', 'reason'] },
  budget_expired: { level: 'INFO', fields: ['code', 'wait_ms'] },
  removal_started: { level: 'INFO', fields: [...aboutRemoval, 'subject'] },
  removal_resumed: { level: 'INFO', fields: [...aboutRemoval, 'subject'] },
  users_unlinked: { level: 'INFO', fields: [...aboutRemoval, 'unlinked', 'newly_unlinked'] },
  removal_finished: { level: 'INFO', fields: [...aboutRemoval, 'unlinked'] },
  removal_replayed: { level: 'INFO', fields: ['provider_id', 'affected_total', 'subject'] },
  removals_checked: { level: 'INFO', fields: ['unfinished', 'oldest_age_seconds'] },
  membership_drift: { level: 'WARN', fields: ['provider_id', 'removal_id', 'expected', 'found'] },
  table_rule_broken: { level: 'WARN', fields: ['partition', 'items'] },
  token_rejected: { level: 'INFO', fields: ['reason'] },
  issuer_unavailable: { level: 'WARN', fields: ['reason'] },
  key_fetch_failed: { level: 'WARN', fields: ['issuer', 'reason'] },
  table_busy: { level: 'WARN', fields: ['reason'] },
  warm_up_failed: { level: 'WARN', fields: ['message'] },
  unexpected_error: { level: 'ERROR', fields: ['error', 'message', 'stack'] },
} as const satisfies Record<string, { level: 'INFO' | 'WARN' | 'ERROR'; fields: readonly string[] }>

/** Fields of every line of a request. */
const requestFields = ['request_id', 'function'] as const

/** Fields that any line may have. */
export const commonFields = ['timestamp', 'level', 'event', ...requestFields] as const

export type LogEvent = keyof typeof events

type Field<E extends LogEvent> = (typeof events)[E]['fields'][number] | (typeof requestFields)[number]
type Facts<E extends LogEvent> = Readonly<Partial<Record<Field<E>, string | number | boolean | undefined>>>

/** Writes one event; never give it a token, nor anything personal beyond a user id. */
export type Log = <E extends LogEvent>(event: E, facts: Facts<E>) => void

/** One JSON object per line; where a metric counts the event, the same line carries it. */
export const jsonLines =
  (write: (line: string) => void, nowMs: () => number): Log =>
  (event, facts) => {
    const timestampMs = nowMs()
    const head = { timestamp: new Date(timestampMs).toISOString(), level: events[event].level, event }
    write(`${JSON.stringify({ ...head, ...facts, ...embeddedMetrics(event, facts, timestampMs) })}\n`)
  }
