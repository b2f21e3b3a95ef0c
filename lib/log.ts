import { embeddedMetrics, type Fact } from './metrics.ts'

const aboutCaller = ['issuer', 'client_id', 'client', 'subject'] as const
const aboutAnswer = ['status', 'code', 'wait_ms'] as const
const aboutRemoval = ['provider_id', 'removal_id', 'affected_total'] as const

/** All log events with their level and fields. @internal */
export const events = {
  // One per request, when its answer has left: route, status, code, the wait that was granted, duration, the version that
  // answered, and who called (issuer, client_id, subject); client as the metrics count it.
  request_answered: {
    level: 'INFO',
    fields: ['method', 'route', ...aboutAnswer, 'duration_ms', 'cold_start', 'version', ...aboutCaller],
  },
  // A 200 broke off while it was streamed, and why.
  answer_cut: { level: 'WARN', fields: ['code', 'reason'] },
  // A removal began, and who requested it.
  removal_started: { level: 'INFO', fields: [...aboutRemoval, 'subject'] },
  // A DELETE continues an unfinished removal.
  removal_resumed: { level: 'INFO', fields: [...aboutRemoval, 'subject'] },
  // How many users this attempt unlinked, and how many are unlinked so far.
  users_unlinked: { level: 'INFO', fields: [...aboutRemoval, 'unlinked', 'newly_unlinked'] },
  // All users are unlinked.
  removal_finished: { level: 'INFO', fields: [...aboutRemoval, 'unlinked'] },
  // A finished removal was requested again.
  removal_replayed: { level: 'INFO', fields: ['provider_id', 'affected_total', 'subject'] },
  // A run of finishRemovals: how many removals remain unfinished, and the age of the oldest.
  removals_checked: { level: 'INFO', fields: ['unfinished', 'oldest_age_seconds'] },
  // The memberships differ from member_count, or from what the removal listed: a writer breaks the rules.
  membership_drift: { level: 'WARN', fields: ['provider_id', 'removal_id', 'expected', 'found'] },
  // How many items of a partition break the rules of the table and were left out; at most every five minutes.
  table_rule_broken: { level: 'WARN', fields: ['partition', 'items'] },
  // The reason, for the operator; the client does not get it.
  token_rejected: { level: 'INFO', fields: ['reason'] },
  // A token could not be verified: why its key is not known.
  issuer_unavailable: { level: 'WARN', fields: ['reason'] },
  // Which issuer's keys could not be fetched, from which URL, and why; infra/issuers.md says what follows.
  key_fetch_failed: { level: 'WARN', fields: ['issuer', 'reason'] },
  // Why a call of DynamoDB was given up and, in a run of finishRemovals, for which provider.
  table_busy: { level: 'WARN', fields: ['provider_id', 'removal_id', 'reason'] },
  // An execution environment started without reaching the table or an issuer; no metric counts it.
  warm_up_failed: { level: 'WARN', fields: ['message'] },
  // A bug: everything known about it and, in a run of finishRemovals, the provider.
  unexpected_error: { level: 'ERROR', fields: ['provider_id', 'removal_id', 'error', 'message', 'stack'] },
} as const satisfies Record<string, { level: 'INFO' | 'WARN' | 'ERROR'; fields: readonly string[] }>

/** The fields of every line of a request. */
const requestFields = ['request_id', 'function'] as const

/** The fields that any line may have. @internal */
export const commonFields = ['timestamp', 'level', 'event', ...requestFields] as const

/** @internal */
export type LogEvent = keyof typeof events

type Field<E extends LogEvent> = (typeof events)[E]['fields'][number] | (typeof requestFields)[number]
type Facts<E extends LogEvent> = Readonly<Partial<Record<Field<E>, Fact>>>

/** Writes one event. The facts must not contain a token, or personal data other than user ids. */
export type Log = <E extends LogEvent>(event: E, facts: Facts<E>) => void

/** A log of one JSON object per line, with the members of its metrics. */
export const jsonLines =
  (write: (line: string) => void, nowMs: () => number): Log =>
  (event, facts) => {
    const timestampMs = nowMs()
    const head = { timestamp: new Date(timestampMs).toISOString(), level: events[event].level, event }
    write(`${JSON.stringify({ ...head, ...facts, ...embeddedMetrics(event, facts, timestampMs) })}\n`)
  }
