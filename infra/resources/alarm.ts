import type { Deployment, Metric } from './cloudwatch.ts'

/** What an alarm looks at: one metric, or an expression of several. */
type Watched = Record<string, unknown>

/** How many periods it looks at, 1 by default, and how many of them must exceed the threshold, all by default. */
interface Rule {
  threshold?: number
  periods?: number
  datapoints?: number
  /** `orMore`: the threshold itself is too much. */
  orMore?: boolean
  /** Missing data means that something does not run. */
  missingIsBad?: boolean
}

const named = ({ namespace, name, dimensions }: Metric) => ({
  Namespace: namespace,
  MetricName: name,
  Dimensions: Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value })),
})

/** One metric, over five minutes by default. */
export const metric = (one: Metric, Statistic = 'Sum', Period = 300): Watched => ({
  ...named(one),
  Statistic,
  Period,
})

/**
 * An expression of metrics over five minutes. CloudWatch allows an alarm ten metrics of one period, and no SEARCH; a
 * metric without data must be filled ("Limits" of CloudWatch's alarms).
 *
 * @param parts expressions, or metrics with their statistic, by the ids of the expression
 */
export const expression = (
  label: string,
  text: string,
  parts: Record<string, Metric | [Metric, statistic: string] | { label: string; expression: string }>,
): Watched => ({
  Metrics: [
    { Id: 'total', Label: label, Expression: text },
    ...Object.entries(parts).map(([id, part]) => {
      if ('expression' in part)
        return { Id: id, ReturnData: false, Label: part.label, Expression: part.expression }
      const [one, Stat] = Array.isArray(part) ? part : [part, 'Sum']
      return { Id: id, ReturnData: false, MetricStat: { Period: 300, Stat, Metric: named(one) } }
    }),
  ],
})

/** The sum of metrics over five minutes. */
export const sum = (label: string, parts: Record<string, Metric>): Watched =>
  expression(label, sumOf(Object.keys(parts)), parts)

export const sumOf = (ids: string[]) => `SUM([${ids.map(id => `FILL(${id}, 0)`).join(', ')}])`

/** Makes the alarms of a deployment. */
export const alarmsOf =
  ({ service, stageName }: Deployment, actions: string[]) =>
  (name: string, description: string, watched: Watched, rule: Rule = {}) => ({
    Type: 'AWS::CloudWatch::Alarm',
    Properties: {
      AlarmName: `${service}-${stageName}-${name}`,
      AlarmDescription: description.replace(/\s+/g, ' ').trim(),
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
