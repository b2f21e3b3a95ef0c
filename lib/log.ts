import { asFailure, reasonOf } from './domain/failure.ts'
import { embeddedMetrics, type Fact } from './metrics.ts'

const aboutCaller = ['issuer', 'client_id', 'client', 'subject'] as const
const aboutAnswer = ['status', 'code', 'wait_ms'] as const
const aboutRemoval = ['provider_id', 'removal_id', 'affected_total'] as const

/** All log events with their level and fields; infra/alarms.md says what they mean. @internal */
export const events = {
  request_answered: {
    level: 'INFO',
    fields: ['method', 'route', ...aboutAnswer, 'duration_ms', 'cold_start', 'version', ...aboutCaller],
  },
  answer_cut: { level: 'WARN', fields: ['code', 'reason'] },
  removal_started: { level: 'INFO', fields: [...aboutRemoval, 'subject'] },
  removal_resumed: { level: 'INFO', fields: [...aboutRemoval, 'subject'] },
  users_unlinked: { level: 'INFO', fields: [...aboutRemoval, 'unlinked'] },
  removal_finished: { level: 'INFO', fields: [...aboutRemoval, 'unlinked'] },
  removal_replayed: { level: 'INFO', fields: ['provider_id', 'affected_total', 'subject'] },
  removals_checked: { level: 'INFO', fields: ['unfinished', 'oldest_age_seconds'] },
  membership_drift: { level: 'WARN', fields: ['provider_id', 'removal_id', 'expected', 'found'] },
  table_rule_broken: { level: 'WARN', fields: ['partition', 'items'] },
  token_rejected: { level: 'INFO', fields: ['reason'] },
  issuer_unavailable: { level: 'WARN', fields: ['reason'] },
  key_fetch_failed: { level: 'WARN', fields: ['issuer', 'reason'] },
  table_busy: { level: 'WARN', fields: ['provider_id', 'removal_id', 'reason'] },
  warm_up_failed: { level: 'WARN', fields: ['message'] },
  unexpected_error: { level: 'ERROR', fields: ['provider_id', 'removal_id', 'error', 'message', 'stack'] },
} as const satisfies Record<string, { level: 'INFO' | 'WARN' | 'ERROR'; fields: readonly string[] }>

/** The fields of every line of a request. */
const requestFields = ['request_id', 'function', 'deployment'] as const

/** The fields that any line may have. @internal */
export const commonFields = ['timestamp', 'level', 'event', ...requestFields] as const

/** @internal */
export type LogEvent = keyof typeof events

type Field<E extends LogEvent> = (typeof events)[E]['fields'][number] | (typeof requestFields)[number]
type Facts<E extends LogEvent> = Readonly<Partial<Record<Field<E>, Fact>>>

/** Writes one event. The facts must not contain a token, or personal data other than user ids. */
export type Log = <E extends LogEvent>(event: E, facts: Facts<E>) => void

/** The same log, whose lines have the ids of one request or scheduled run. */
export function logOf(log: Log, requestId: string, functionName: string, deployment: string): Log {
  const common = { request_id: requestId, function: functionName, deployment }
  return (event, facts) => log(event, { ...common, ...facts })
}

/** Logs why something was not done: a bug with its stack; the reason of a refused token, its issuer or the table. */
export function logFailure(log: Log, error: unknown, ids: Facts<'table_busy'> = {}): void {
  const failure = asFailure(error)
  const { code, cause } = failure
  if (code === 'internal_error' && cause instanceof Error)
    log('unexpected_error', { ...ids, error: cause.name, message: cause.message, stack: cause.stack })
  if (code === 'token_rejected' || code === 'issuer_unavailable' || code === 'table_busy')
    log(code, { ...ids, reason: reasonOf(failure) })
}

/** A log of one JSON object per line, with the members of its metrics. */
export const jsonLines =
  (write: (line: string) => void, nowMs: () => number): Log =>
  (event, facts) => {
    const timestampMs = nowMs()
    const head = { timestamp: new Date(timestampMs).toISOString(), level: events[event].level, event }
    write(`${JSON.stringify({ ...head, ...facts, ...embeddedMetrics(event, facts, timestampMs) })}\n`)
  }
