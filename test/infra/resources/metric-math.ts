import { embeddedMetrics } from '../../../lib/metrics.ts'
import type { Properties } from '../serverless/packaged.ts'

/** What CloudWatch has of one period: a value by metric. A metric without data is absent. */
export type Datapoints = Map<string, number>

/** An answer to a client, by one of the functions or by API Gateway itself. */
export interface Answer {
  by: 'ListSamlProvidersLambdaFunction' | 'DeleteSamlProviderLambdaFunction' | 'gateway'
  status: number
  code?: string
}

export const gatewayMetric = (name: string) => keyOf('AWS/ApiGateway', name, [])
export const lambdaMetric = (name: string, of: string) => keyOf('AWS/Lambda', name, [['FunctionName', of]])

/** The datapoints of a period with these answers, from the functions' logs and from API Gateway. */
export function datapointsOf(answers: readonly Answer[]): Datapoints {
  const points: Datapoints = new Map()
  const add = (key: string, value: number) => points.set(key, (points.get(key) ?? 0) + value)
  for (const { by, status, code } of answers) {
    if (status >= 400) add(gatewayMetric(status < 500 ? '4XXError' : '5XXError'), 1)
    if (by === 'gateway') continue
    const line: Properties = embeddedMetrics('request_answered', { function: by, status, code }, 0)
    for (const { Namespace, Dimensions, Metrics } of line._aws.CloudWatchMetrics)
      for (const set of Dimensions)
        add(
          keyOf(
            Namespace,
            Metrics[0].Name,
            set.map((name: string) => [name, line[name]]),
          ),
          line[Metrics[0].Name],
        )
  }
  return points
}

/** A metric or an expression of an alarm or of a widget. */
export interface Series {
  id: string
  key?: string
  expression?: string
}

export const seriesOfAlarm = ({ Metrics }: Properties): Series[] =>
  Metrics.map(({ Id, Expression, MetricStat }: Properties) => {
    if (MetricStat === undefined) return { id: Id, expression: Expression }
    const { Namespace, MetricName, Dimensions } = MetricStat.Metric
    const pairs = Dimensions.map(({ Name, Value }: Properties) => [Name, Value.Ref ?? Value])
    return { id: Id, key: keyOf(Namespace, MetricName, pairs) }
  })

export const seriesOfWidget = (lines: readonly (readonly Properties[])[]): Series[] =>
  lines.map(line => {
    const { id, expression } = line.at(-1) ?? {}
    if (expression !== undefined) return { id, expression }
    const [namespace, name, ...dimensions] = line
      .slice(0, -1)
      .map(text => String(text).replace(/^\$\{(\w+)}$/, '$1'))
    const pairs = dimensions.flatMap((one, i): [string, string][] =>
      i % 2 === 0 ? [[one, dimensions[i + 1] ?? '']] : [],
    )
    return { id, key: keyOf(namespace ?? '', name ?? '', pairs) }
  })

/** The functions of CloudWatch's metric math that the templates use ("Using math expressions with CloudWatch metrics"). */
const functions = {
  FILL: (value: number | undefined, missing: number) => value ?? missing,
  SUM: (values: number[]) => values.reduce((sum, value) => sum + value, 0),
  IF: (condition: boolean, one: number, other: number) => (condition ? one : other),
}

/** The value of a series in a period; undefined, or not a number, where a metric without data is not filled. */
export function datapointOf(id: string, all: readonly Series[], points: Datapoints): number | undefined {
  const { key = '', expression } = all.find(series => series.id === id) ?? {}
  if (expression === undefined) return points.get(key)
  const ids = all.map(series => series.id).filter(other => new RegExp(`\\b${other}\\b`).test(expression))
  const evaluate = new Function(...Object.keys(functions), ...ids, `return ${expression}`)
  return evaluate(...Object.values(functions), ...ids.map(other => datapointOf(other, all, points)))
}

/** API Gateway's dimensions are left out: they are the same everywhere. */
function keyOf(namespace: string, name: string, dimensions: [string, string][]): string {
  const own = dimensions.filter(([dimension]) => !/^(ApiName|Stage)$/.test(dimension))
  return [namespace, name, ...own.map(pair => pair.join('='))].join(' ')
}
