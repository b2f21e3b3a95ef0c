import { operations } from '../../../infra/resources/operations.ts'
import { endpoints as ofService, scheduledFunctions } from '../../../infra/serverless/service-definition.ts'
import type { Properties } from '../serverless/packaged.ts'

export const service = 'deprecated-saml-endpoints'

/** With a third endpoint, which serverless.yml may have one day. */
export const endpoints = [...ofService, { name: 'addSamlProvider', http: [{ method: 'post' }] }]
export const functions = [...endpoints, ...scheduledFunctions]
export const logicalIdOf = ({ name }: { name: string }, kind: string) =>
  `${name.charAt(0).toUpperCase()}${name.slice(1)}${kind}`

const limits = { finishEveryMinutes: 15, maxWaitSeconds: 28, throttleRate: 50 }
export type Limits = Partial<typeof limits>

/** What the operators of a stage get of one type, by default with the usual limits. */
export function operationsOf(type: string, more: Limits = {}): Properties[] {
  const names = { service, stageName: 'prod', tableName: 'saml-providers-prod', alarmActions: ['topic'] }
  const { Resources } = operations({ ...names, ...limits, ...more, tracing: false, functions })
  return Object.values(Resources).flatMap(({ Type, Properties }) =>
    Type === type ? [Properties as Properties] : [],
  )
}

/** Values of five minutes by namespace, name and dimensions, such as `AWS/Lambda Errors ListSamlProvidersLambdaFunction`. */
export type Measured = Record<string, number>

/** What was measured of a metric; undefined when it has no data. */
function measuredOf({ Namespace, MetricName, Dimensions }: Properties, measured: Measured) {
  const values = Dimensions.map(({ Value }: Properties) => Value.Ref ?? Value)
  return measured[[Namespace, MetricName, ...values].join(' ')]
}

/** CloudWatch's functions. The sum with a metric that has no data and is not filled is NaN: no data. */
const cloudWatch = {
  FILL: (value: number | undefined, other: number) => value ?? other,
  SUM: (values: number[]) => values.reduce((total, value) => total + value, 0),
  IF: (condition: boolean, value: number, other: number) => (condition ? value : other),
}

/** The value of an expression of CloudWatch. @param values by the ids in it */
export function compute(expression: string, values: Record<string, number | undefined>): number {
  const known = { ...cloudWatch, ...values }
  return new Function(...Object.keys(known), `return ${expression}`)(...Object.values(known))
}

/** Whether an alarm's threshold is exceeded when this was measured, and nothing else. */
export function exceeds(alarm: Properties, measured: Measured): boolean {
  const { Metrics, Threshold, ComparisonOperator } = alarm
  const parts = (Metrics ?? []).filter(({ MetricStat }: Properties) => MetricStat !== undefined)
  const values = Object.fromEntries(
    parts.map(({ Id, MetricStat }: Properties) => [Id, measuredOf(MetricStat.Metric, measured)]),
  )
  const value = Metrics === undefined ? measuredOf(alarm, measured) : compute(Metrics[0].Expression, values)
  if (value === undefined) return false
  return ComparisonOperator === 'GreaterThanThreshold' ? value > Threshold : value >= Threshold
}
