import { beforeAll, describe, expect, test } from 'vitest'
import { problemKinds } from '../../../lib/http/problem.ts'
import { everythingOn, type Properties, packagedOnce } from '../serverless/packaged.ts'
import {
  type Answer,
  type Datapoints,
  datapointsOf,
  gatewayMetric,
  lambdaMetric,
  type Series,
  seriesOfAlarm,
  seriesOfWidget,
  datapointOf,
} from './metric-math.ts'

const { properties } = packagedOnce('prod', everythingOn)
const alarm = (name: string) =>
  properties('AWS::CloudWatch::Alarm').find(({ AlarmName }) => AlarmName.endsWith(name)) as Properties

const [list, remove] = ['ListSamlProvidersLambdaFunction', 'DeleteSamlProviderLambdaFunction'] as const
const kinds = Object.entries(problemKinds).map(([code, { status }]) => [code, status] as const)
const byGateway = (status: number): Answer => ({ by: 'gateway', status })
const byBoth = (code: string, status: number): Answer[] => [list, remove].map(by => ({ by, code, status }))
const putOff = kinds.filter(([, status]) => status === 503).flatMap(kind => byBoth(...kind))

/** Whether a datapoint breaches the alarm's threshold. */
function breaches({ Threshold, ...computed }: Properties, id: string, points: Datapoints) {
  const value = datapointOf(id, seriesOfAlarm(computed), points)
  expect(value).toBeTypeOf('number')
  return Number(value) > Threshold
}

describe('the alarm unexpected-error', () => {
  const rings = (points: Datapoints) => breaches(alarm('unexpected-error'), 'total', points)

  test.each(kinds)("rings for the functions' %s (%i) only when it is 500", (code, status) => {
    expect(rings(datapointsOf(byBoth(code, status)))).toBe(status === 500)
  })

  test('rings for a 5xx that no function answered, also among answers of 503', () => {
    expect(rings(new Map())).toBe(false)
    expect(rings(datapointsOf(putOff))).toBe(false)
    expect(rings(datapointsOf([byGateway(504)]))).toBe(true)
    expect(rings(datapointsOf([...putOff, byGateway(500)]))).toBe(true)
    expect(rings(datapointsOf([403, 404, 413, 429].map(byGateway)))).toBe(false)
  })

  test('rings for a bug or a crash whose answer had begun, and when 503s are counted before the gateway counts them', () => {
    const cut: Answer = { by: remove, status: 200, code: 'internal_error' }
    const early = (points: Datapoints) => {
      points.delete(gatewayMetric('5XXError'))
      return points
    }
    expect(rings(datapointsOf([cut]))).toBe(true)
    expect(rings(early(datapointsOf([...putOff, cut])))).toBe(true)
    for (const name of [list, remove, 'FinishRemovalsLambdaFunction'])
      expect(rings(early(datapointsOf(putOff)).set(lambdaMetric('Errors', name), 1))).toBe(true)
  })
})

describe('the alarm refusal-flood', () => {
  test('rings above a tenth of the rate limit', () => {
    const [{ MethodSettings }] = properties('AWS::ApiGateway::Stage') as [Properties]
    expect(alarm('refusal-flood')).toMatchObject({
      MetricName: '4XXError',
      Period: 300,
      Threshold: MethodSettings[0].ThrottlingRateLimit * 30,
    })
  })
})

describe('the alarm slow-answers', () => {
  test.each([
    [20, 5001, true],
    [20, 5000, false],
    [19, 60_000, false],
    [undefined, undefined, false],
  ])('of %j requests with a median of %j ms: %s', (requests, latencyMs, isSlow) => {
    const points: Datapoints = new Map()
    if (requests !== undefined) points.set(gatewayMetric('Count'), requests)
    if (latencyMs !== undefined) points.set(gatewayMetric('Latency'), latencyMs)
    expect(breaches(alarm('slow-answers'), 'total', points)).toBe(isSlow)
  })
})

describe('the dashboard', () => {
  let widgets: Properties[] = []
  let series: Series[] = []
  beforeAll(() => {
    const [{ DashboardBody }] = properties('AWS::CloudWatch::Dashboard') as [Properties]
    widgets = JSON.parse(DashboardBody['Fn::Sub']).widgets
    series = seriesOfWidget(metricsOf('Between gateway and function'))
  })
  const metricsOf = (title: string) =>
    widgets.find(({ properties }) => properties.title === title)?.properties.metrics
  const shown = (answers: Answer[]) =>
    ['byGateway', 'unanswered'].map(id => datapointOf(id, series, datapointsOf(answers)))

  test.each(kinds)("does not count the functions' %s (%i) as the gateway's", (code, status) => {
    expect(shown(byBoth(code, status))).toEqual([0, 0])
  })

  test("separates the gateway's own refusals from failures", () => {
    const own = [403, 404, 413, 429].map(byGateway)
    const failed = [500, 502, 504].map(byGateway)
    const ofFunctions = kinds.flatMap(kind => byBoth(...kind))
    expect(shown([])).toEqual([0, 0])
    expect(shown([...own, ...failed, ...ofFunctions])).toEqual([4, 3])
  })

  test('shows each code of 401 and 403 of the functions', () => {
    const [[{ expression }]] = metricsOf('Refused by the functions: 401 and 403')
    const [, codes = ''] = / code=\(([^)]+)\)/.exec(expression) ?? []
    const expected = kinds.filter(([, status]) => status === 401 || status === 403)
    expect(codes.split(' OR ')).toEqual(expected.map(([code]) => `"${code}"`))
  })

  test('shows latency, of the gateway and of its functions, in milliseconds', () => {
    const named = metricsOf('Latency of the gateway, ms').map(([, name]: string[]) => name)
    expect([...new Set(named)]).toEqual(['Latency', 'IntegrationLatency'])
  })
})
