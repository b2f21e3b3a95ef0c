import { problemKinds } from '../../lib/http/problem.ts'
import { chart, dashboardBody, difference, found, line } from './chart.ts'
import { type Deployment, functionsBy, ofGateway, ofLambda, ofService, refusalsOf } from './cloudwatch.ts'
import { lastCallers } from './queries.ts'

/** The codes with which the functions refuse a caller. */
const refusals = Object.entries(problemKinds).flatMap(([code, { status }]) =>
  status === 401 || status === 403 ? [code] : [],
)

/** The dashboard and its URL. */
export function dashboard(deployment: Deployment) {
  const { service, stageName, functions } = deployment
  const { all, endpoints } = functionsBy(functions)
  const gateway = ofGateway(deployment)
  const each = (metric: 'Answers4xx' | 'Answers5xx') => endpoints.map(name => ofService(metric, name))
  const latency = (metric: 'Latency' | 'IntegrationLatency', what: string) =>
    ['p50', 'p99'].map(stat => line(gateway(metric), { stat, label: `${what}, ${stat}` }))
  const byCode = { by: 'code', codes: refusals } as const
  const hourly = { seconds: 3600 }
  const latest = { ...hourly, stat: 'Maximum' } as const
  const rows = [
    endpoints.map(name =>
      chart(
        `Who still calls ${name}, per client and day`,
        [found('Requests', [name], { by: 'client', seconds: 86_400 })],
        { stacked: true, period: 86_400 },
      ),
    ),
    [
      chart(
        'Failures by code',
        [found('Errors', all, { by: 'code' }), found('AnswersCut', all), found('KeyFetchesFailed', all)],
        { stacked: true },
      ),
      chart('Duration from the request to the last byte of its answer, ms', [
        found('DurationMs', all, { stat: 'p50' }),
        found('DurationMs', all, { stat: 'p99' }),
      ]),
    ],
    [
      chart('Between gateway and function', [
        ...difference('refused', 'refused by the gateway itself', gateway('4XXError'), each('Answers4xx')),
        ...difference('failed', 'failed, and no function answered', gateway('5XXError'), each('Answers5xx')),
      ]),
      chart('Refused by the functions: 401 and 403', [found('Errors', all, byCode)], { stacked: true }),
      chart('Latency of the gateway, ms', [
        ...latency('Latency', 'whole'),
        ...latency('IntegrationLatency', 'of the function'),
      ]),
    ],
    [
      chart(
        'Removals',
        [
          found('RemovalStarted', all, hourly),
          found('RemovalResumed', all, hourly),
          found('RemovalFinished', all, hourly),
          found('RemovalReplayed', all, hourly),
          found('BudgetExpired', all, hourly),
          found('UnfinishedRemovals', all, latest),
          found('OldestUnfinishedRemovalSeconds', all, { ...latest, yAxis: 'right' }),
        ],
        { period: 3600 },
      ),
      chart(
        'Users unlinked, and drift found',
        [found('UsersUnlinked', all, hourly), found('MembershipDrift', all, { ...hourly, yAxis: 'right' })],
        { period: 3600 },
      ),
    ],
    [
      chart('Throttled', [
        ...refusalsOf(deployment).map(refusals => line(refusals)),
        found('TableBusy', all),
        ...all.map(name => line(ofLambda('Throttles', name))),
      ]),
      chart('Requests, answers that are neither 2xx nor 410, and cold starts', [
        found('Requests', all),
        found('AnswersNot2xx', all),
        found('ColdStarts', all),
      ]),
    ],
    [
      {
        type: 'log',
        properties: { title: 'The last callers', view: 'table', query: lastCallers(endpoints) },
      },
    ],
  ]
  const region = `\${AWS::Region}`
  const url = `https://${region}.console.aws.amazon.com/cloudwatch/home?region=${region}#dashboards:name=`
  return {
    Resources: {
      OperationsDashboard: {
        Type: 'AWS::CloudWatch::Dashboard',
        Properties: {
          // The regions of an account share their dashboards.
          DashboardName: { 'Fn::Sub': `${service}-${stageName}-${region}` },
          DashboardBody: { 'Fn::Sub': dashboardBody(rows) },
        },
      },
    },
    Outputs: {
      DashboardUrl: {
        Description: 'Who still calls, failures, refusals, latency, removals, throttling.',
        Value: { 'Fn::Sub': `${url}\${OperationsDashboard}` },
      },
    },
  }
}
