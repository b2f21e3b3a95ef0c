/** A metric that CloudWatch extracts from the lines of a log event. */
interface Metric {
  event: string
  /** The field with its value; without it, each event counts 1. */
  field?: string
  /** The statuses of the answers that count; without it, all. */
  status?: RegExp
  unit: 'Count' | 'Seconds'
  /** Dimension sets; a set is used when the event has all of its fields. */
  dimensions: readonly (readonly string[])[]
}

/** The CloudWatch namespace of all deployments in an account. @internal */
export const namespace = 'DeprecatedSamlEndpoints'

/** A metric that counts each event of a deployment, unless the rest says otherwise. */
const metricOf = (event: string, rest: Partial<Metric> = {}): Metric => ({
  event,
  unit: 'Count',
  dimensions: [['deployment']],
  ...rest,
})

/**
 * All metrics; infra/resources/alarms.yml and dashboard.txt look at each. CloudWatch bills each combination of dimension
 * values, so dimensions have few values: the deployment, the failure code, and per function the client that the verified
 * token names and that has the right to call.
 *
 * @internal
 */
export const metrics = {
  Requests: metricOf('request_answered', { dimensions: [['deployment'], ['function', 'client']] }),
  // Answers other than 200, and those that were cut.
  Errors: metricOf('request_answered', { dimensions: [['deployment', 'code']] }),
  // API Gateway's 5XXError counts these, and its own answers.
  Answers5xx: metricOf('request_answered', { status: /^5/ }),
  // An endpoint that has been retired is meant to answer 410.
  AnswersNot2xx: metricOf('request_answered', { status: /^(?!2|410)/ }),
  // Calls of the table that were given up.
  TableBusy: metricOf('table_busy'),
  // Not those at the start of an environment, which are of no caller.
  KeyFetchesFailed: metricOf('key_fetch_failed'),
  RemovalStarted: metricOf('removal_started'),
  RemovalFinished: metricOf('removal_finished'),
  // Removals whose memberships differ from member_count.
  MembershipDrift: metricOf('membership_drift'),
  // After each run of finishRemovals; 0: none.
  OldestUnfinishedRemovalSeconds: metricOf('removals_checked', {
    field: 'oldest_age_seconds',
    unit: 'Seconds',
  }),
}

/** The value of a field of a log line. */
export type Fact = string | number | boolean | undefined
type Facts = Readonly<Record<string, Fact>>

/**
 * The members that make a log line a metric, too; none for an event without a metric.
 *
 * @see CloudWatch "Embedded metric format specification"
 */
export function embeddedMetrics(event: string, facts: Facts, timestampMs: number): object {
  const values: Record<string, string | number> = {}
  const directives: object[] = []
  for (const [name, metric] of Object.entries(metrics)) {
    const value = countOf(metric, event, facts)
    const sets = metric.dimensions.filter(set => set.every(field => facts[field] !== undefined))
    if (value === undefined || sets.length === 0) continue
    values[name] = value
    for (const field of sets.flat()) values[field] = dimensionValue(facts[field])
    directives.push({ Namespace: namespace, Dimensions: sets, Metrics: [{ Name: name, Unit: metric.unit }] })
  }
  if (directives.length === 0) return {}
  return { ...values, _aws: { Timestamp: timestampMs, CloudWatchMetrics: directives } }
}

/** What a line of an event adds to a metric; undefined: nothing. */
function countOf({ event, status, field }: Metric, logged: string, facts: Facts): number | undefined {
  const isCounted = event === logged && (status?.test(String(facts.status)) ?? true)
  const value = field === undefined ? 1 : Number(facts[field])
  return isCounted && Number.isFinite(value) ? value : undefined
}

/** CloudWatch drops a metric whose dimension is not printable ASCII, blank, or longer than 1,024 characters. */
function dimensionValue(fact: Fact): string {
  const printable = String(fact).replace(/[^\x20-\x7e]/g, '?')
  return printable.trim().slice(0, 256) || '?'
}
