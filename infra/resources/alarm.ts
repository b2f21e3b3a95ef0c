import type { CloudWatchMetric, Deployment } from './cloudwatch.ts'

/** What an alarm looks at: one metric, or an expression of several. */
type Watched = Record<string, unknown>

/** When an alarm rings, and whether that may wake somebody. */
interface Rule {
  /** Clients are refused or cut off from the service now, and the operators can change that. Default: false. */
  mayWake?: boolean
  threshold?: number
  /** How many periods it looks at, 1 by default, and how many of them must exceed the threshold, all by default. */
  periods?: number
  datapoints?: number
  /** `orMore`: the threshold itself is too much. */
  orMore?: boolean
  /** Missing data means that something does not run. */
  missingIsBad?: boolean
}

const named = ({ namespace, name, dimensions }: CloudWatchMetric) => ({
  Namespace: namespace,
  MetricName: name,
  Dimensions: Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value })),
})

/** One metric, over five minutes by default. */
export const metric = (watched: CloudWatchMetric, Statistic = 'Sum', Period = 300): Watched => ({
  ...named(watched),
  Statistic,
  Period,
})

/**
 * An expression of metrics over five minutes. CloudWatch allows an alarm ten metrics of one period, and no SEARCH; a
 * metric without data must be filled ("Limits" of CloudWatch's alarms).
 *
 * @param parts metrics with their statistic, by the ids of the expression
 */
export const expression = (
  label: string,
  text: string,
  parts: Record<string, [CloudWatchMetric, statistic: string]>,
): Watched => ({
  Metrics: [
    { Id: 'total', Label: label, Expression: text },
    ...Object.entries(parts).map(([id, [metric, Stat]]) => ({
      Id: id,
      ReturnData: false,
      MetricStat: { Period: 300, Stat, Metric: named(metric) },
    })),
  ],
})

/** The sum of some metrics over five minutes. */
export const sum = (label: string, metrics: CloudWatchMetric[]): Watched =>
  expressionOfSums(label, { all: metrics }, ({ all }) => all)

/**
 * An expression of sums over five minutes.
 *
 * @param metrics those of each sum, by its name
 * @param textOf gets the texts of the sums
 */
export function expressionOfSums<Name extends string>(
  label: string,
  metrics: Record<Name, CloudWatchMetric[]>,
  textOf: (sums: Record<Name, string>) => string,
): Watched {
  const parts: Record<string, [CloudWatchMetric, statistic: string]> = {}
  const sums = {} as Record<Name, string>
  for (const name in metrics) {
    const filled = metrics[name].map((metric, index) => {
      parts[`${name}${index + 1}`] = [metric, 'Sum']
      return `FILL(${name}${index + 1}, 0)`
    })
    sums[name] = `SUM([${filled.join(', ')}])`
  }
  return expression(label, textOf(sums), parts)
}

/** Makes the alarms of a deployment, each with one sentence about its cause, and where the steps are. */
export const alarmsOf =
  ({ service, stageName }: Deployment, actions: string[]) =>
  (name: string, cause: string, watched: Watched, rule: Rule = {}) => ({
    Type: 'AWS::CloudWatch::Alarm',
    Properties: {
      AlarmName: `${service}-${stageName}-${name}`,
      AlarmDescription: `${urgencyOf(rule)} ${cause} See infra/alarms.md#${name}.`,
      AlarmActions: actions,
      OKActions: actions,
      ComparisonOperator: rule.orMore ? 'GreaterThanOrEqualToThreshold' : 'GreaterThanThreshold',
      Threshold: rule.threshold ?? 0,
      EvaluationPeriods: rule.periods ?? 1,
      ...(rule.datapoints && { DatapointsToAlarm: rule.datapoints }),
      TreatMissingData: rule.missingIsBad ? 'breaching' : 'notBreaching',
      ...watched,
    },
  })

/** How each description begins; a subscription of the topic may filter by it. */
const urgencyOf = ({ mayWake = false }: Rule) => (mayWake ? 'May wake somebody.' : 'Can wait for the day.')
