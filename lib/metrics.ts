/** A metric that CloudWatch extracts from a log line. */
interface Metric {
  /** The log event that contains it. */
  event: string
  /** The field with its value; without it, each event counts 1. */
  field?: string
  /** The statuses of the answers that count; without it, all. */
  status?: RegExp
  unit: 'Count' | 'Milliseconds' | 'Seconds'
  /** Dimension sets; a set is used when the event has all of its fields. */
  dimensions: readonly (readonly string[])[]
}

const perFunction = [['function']]

/** The CloudWatch namespace of all deployments in an account; the function names distinguish them. */
export const namespace = 'DeprecatedSamlEndpoints'

const counted = (event: string, more: Partial<Metric> = {}): Metric => ({
  event,
  unit: 'Count',
  dimensions: perFunction,
  ...more,
})

/**
 * All metrics. CloudWatch bills each combination of dimension values, so dimensions have few values: the function, the
 * failure code, and the client that the verified token names and that has the right to call.
 */
export const metrics = {
  Requests: counted('request_answered', { dimensions: [['function'], ['function', 'client']] }),
  Errors: counted('request_answered', { dimensions: [['function', 'code']] }),
  // API Gateway's 4XXError and 5XXError count these, and its own answers.
  Answers4xx: counted('request_answered', { status: /^4/ }),
  Answers5xx: counted('request_answered', { status: /^5/ }),
  DurationMs: counted('request_answered', { field: 'duration_ms', unit: 'Milliseconds' }),
  ColdStarts: counted('request_answered', { field: 'cold_start' }),
  AnswersCut: counted('answer_cut'),
  BudgetExpired: counted('budget_expired'),
  RemovalStarted: counted('removal_started'),
  RemovalResumed: counted('removal_resumed'),
  RemovalFinished: counted('removal_finished'),
  RemovalReplayed: counted('removal_replayed'),
  UsersUnlinked: counted('users_unlinked', { field: 'newly_unlinked' }),
  MembershipDrift: counted('membership_drift'),
  UnfinishedRemovals: counted('removals_checked', { field: 'unfinished' }),
  OldestUnfinishedRemovalSeconds: counted('removals_checked', {
    field: 'oldest_age_seconds',
    unit: 'Seconds',
  }),
}

type Fact = string | number | boolean | undefined
type Facts = Readonly<Record<string, Fact>>

/**
 * The members that make a log line a metric, too.
 *
 * @returns no members for an event without a metric
 * @see CloudWatch "Embedded metric format specification"
 */
export function embeddedMetrics(event: string, facts: Facts, timestampMs: number): object {
  const values: Record<string, string | number> = {}
  const directives: object[] = []
  for (const [name, metric] of Object.entries(metrics)) {
    if (metric.event !== event || metric.status?.test(String(facts.status)) === false) continue
    const value = metric.field === undefined ? 1 : Number(facts[metric.field])
    const sets = metric.dimensions.filter(set => set.every(field => facts[field] !== undefined))
    if (sets.length === 0 || !Number.isFinite(value)) continue
    values[name] = value
    for (const field of sets.flat()) values[field] = dimensionValue(facts[field])
    directives.push({ Namespace: namespace, Dimensions: sets, Metrics: [{ Name: name, Unit: metric.unit }] })
  }
  if (directives.length === 0) return {}
  return { ...values, _aws: { Timestamp: timestampMs, CloudWatchMetrics: directives } }
}

/** CloudWatch drops a metric whose dimension is not printable ASCII, blank, or longer than 1,024 characters. */
function dimensionValue(fact: Fact): string {
  const printable = String(fact).replace(/[^\x20-\x7e]/g, '?')
  return printable.trim().slice(0, 256) || '?'
}
