import { type metrics, namespace } from '../../lib/metrics.ts'
import { logicalId, type CloudWatchMetric } from './cloudwatch.ts'

/** A line of a chart: an expression, or a metric with its dimensions and options. */
type Line = unknown[]

/** A row of widgets has the whole width. */
interface Widget {
  type: string
  properties: Record<string, unknown>
}

export const chart = (title: string, metrics: Line[], options: object = {}): Widget => ({
  type: 'metric',
  properties: { title, view: 'timeSeries', period: 300, stat: 'Sum', metrics, ...options },
})

/** A line of one metric. */
export const line = ({ namespace, name, dimensions }: CloudWatchMetric, options: object = {}): Line => {
  const text = (value: string | { Ref: string }) => (typeof value === 'string' ? value : `\${${value.Ref}}`)
  const pairs = Object.entries(dimensions).flatMap(([dimension, value]) => [dimension, text(value)])
  return [namespace, name, ...pairs, options]
}

interface Search {
  /** The dimension beside the function. */
  by?: 'client' | 'code'
  codes?: string[]
  stat?: 'Sum' | 'Maximum' | 'p50' | 'p99'
  seconds?: number
  yAxis?: 'right'
}

/** A line for each of the functions, and each client or code, that has data: new ones appear without a change. */
export function found(
  metric: keyof typeof metrics,
  functions: string[],
  { by, codes, stat = 'Sum', seconds = 300, ...options }: Search = {},
): Line {
  const oneOf = (names: string[]) => `(${names.map(name => `"${name}"`).join(' OR ')})`
  const search = [
    `{${[namespace, 'function', ...(by ? [by] : [])].join(',')}}`,
    `MetricName="${metric}"`,
    `function=${oneOf(functions.map(name => `\${${logicalId(name, 'LambdaFunction')}}`))}`,
    ...(codes ? [`code=${oneOf(codes)}`] : []),
  ]
  const expression = `SEARCH('${search.join(' ')}', '${stat}', ${seconds})`
  const label = by && `\${PROP('Dim.${by}')}`
  return [{ expression, id: `${stat.toLowerCase()}${metric}`, ...(label && { label }), ...options }]
}

/** A line of one metric less others. @param id of the difference; the metrics are not shown */
export function difference(
  id: string,
  label: string,
  whole: CloudWatchMetric,
  parts: CloudWatchMetric[],
): Line[] {
  const hidden = [whole, ...parts].map((metric, index) => ({ metric, id: `${id}${index}`, visible: false }))
  const expression = hidden.map(({ id: hiddenId }) => `FILL(${hiddenId}, 0)`).join(' - ')
  return [...hidden.map(({ metric, ...options }) => line(metric, options)), [{ expression, id, label }]]
}

/**
 * The body of a dashboard, for Fn::Sub.
 *
 * Of CloudWatch's own ${…} the dollar sign is written as JSON's escape, so that Fn::Sub does not replace it: LocalStack
 * does not support ${!…}.
 */
export function dashboardBody(rows: Widget[][]): string {
  const height = 7
  const widgets = rows.flatMap((row, y) =>
    row.map(({ type, properties }, x) => {
      const width = Math.floor(24 / row.length)
      const area = { x: x * width, y: y * height, width, height }
      return { type, ...area, properties: { region: `\${AWS::Region}`, ...properties } }
    }),
  )
  return JSON.stringify({ start: '-P2W', widgets }).replaceAll('${PROP', '\\u0024{PROP')
}
