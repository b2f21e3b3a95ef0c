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

const perFunction = [['function']] as const

/** The CloudWatch namespace of all deployments in an account; the function names distinguish them. */
export const namespace = 'DeprecatedSamlEndpoints'

/**
 * All metrics. CloudWatch bills each combination of dimension values, so dimensions have few values: the function, the
 * failure code, and the client that the verified token names and that has the right to call.
 */
export const metrics = {
  Requests: { event: 'request_answered', unit: 'Count', dimensions: [['function'], ['function', 'client']] },
  Errors: { event: 'request_answered', unit: 'Count', dimensions: [['function', 'code']] },
  // API Gateway's 4XXError and 5XXError count these, and its own answers.
  Answers4xx: { event: 'request_answered', status: /^4/, unit: 'Count', dimensions: perFunction },
  Answers5xx: { event: 'request_answered', status: /^5/, unit: 'Count', dimensions: perFunction },
  DurationMs: {
    event: 'request_answered',
    field: 'duration_ms',
    unit: 'Milliseconds',
    dimensions: perFunction,
  },
  ColdStarts: { event: 'request_answered', field: 'cold_start', unit: 'Count', dimensions: perFunction },
  AnswersCut: { event: 'answer_cut', unit: 'Count', dimensions: perFunction },
  BudgetExpired: { event: 'budget_expired', unit: 'Count', dimensions: perFunction },
  RemovalStarted: { event: 'removal_started', unit: 'Count', dimensions: perFunction },
  RemovalResumed: { event: 'removal_resumed', unit: 'Count', dimensions: perFunction },
  RemovalFinished: { event: 'removal_finished', unit: 'Count', dimensions: perFunction },
  RemovalReplayed: { event: 'removal_replayed', unit: 'Count', dimensions: perFunction },
  UsersUnlinked: {
    event: 'users_unlinked',
    field: 'newly_unlinked',
    unit: 'Count',
    dimensions: perFunction,
  },
  MembershipDrift: { event: 'membership_drift', unit: 'Count', dimensions: perFunction },
  UnfinishedRemovals: {
    event: 'removals_checked',
    field: 'unfinished',
    unit: 'Count',
    dimensions: perFunction,
  },
  OldestUnfinishedRemovalSeconds: {
    event: 'removals_checked',
    field: 'oldest_age_seconds',
    unit: 'Seconds',
    dimensions: perFunction,
  },
} as const satisfies Record<string, Metric>

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
  for (const [name, metric] of Object.entries<Metric>(metrics)) {
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
