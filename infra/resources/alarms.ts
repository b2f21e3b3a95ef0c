import { alarmsOf, comparison, expression, metric, sum } from './alarm.ts'
import {
  type Deployment,
  functionsBy,
  finishFunction,
  ofGateway,
  ofLambda,
  ofService,
  refusalsOf,
} from './cloudwatch.ts'

export interface AlarmOptions extends Deployment {
  /** ARNs of SNS topics. */
  alarmActions: string[]
  finishEveryMinutes: number
  /** The longest time of a request, in which a removal is not abandoned. */
  maxWaitSeconds: number
  /** Requests per second that the gateway accepts. */
  throttleRate: number
}

/** All alarms, by logical id. Each description says the cause and the first step. */
export function alarms(options: AlarmOptions) {
  const { alarmActions, finishEveryMinutes, maxWaitSeconds, throttleRate } = options
  const { all, endpoints, removingEndpoints, removing } = functionsBy(options.functions)
  const gateway = ofGateway(options)
  const alarm = alarmsOf(options, alarmActions)
  // In a stage without clients only the scheduled runs notice that the table cannot be reached: two must be among them.
  const givenUpPeriods = Math.ceil(finishEveryMinutes / 5) + 2
  return {
    UnexpectedErrorAlarm: alarm(
      'unexpected-error',
      `A request was answered 500, or a function crashed or timed out: a bug or a faulty deployment. First step: filter
      the functions' logs for the event unexpected_error or "Status: timeout". If it began with a deployment, roll back.
      An interrupted removal continues when its DELETE is sent again. An answer that was cut is reported as a crash,
      too, beside the alarm answer-cut.`,
      sum('signs of unexpected errors', [
        ...endpoints.map(name => ofService('Errors', name, 'internal_error')),
        ...all.map(name => ofLambda('Errors', name)),
      ]),
      { mayWake: true },
    ),

    UnansweredAlarm: alarm(
      'unanswered',
      `In two of three five-minute periods API Gateway answered 5xx, and no function did: a function crashed, was throttled,
      took longer than the gateway waits, or may not be called. First step: if the alarm unexpected-error or throttling goes
      off, too, begin there. Else see "Between gateway and function" on the dashboard, and deploy gatewayAccessLogs=true,
      whose gateway_answer says why. If it began with a deployment, roll back.`,
      // The functions' own 5xx need no token. A tenth more of them, because both count them in different periods.
      comparison(
        '5xx that no function answered',
        { all: [gateway('5XXError')], own: endpoints.map(name => ofService('Answers5xx', name)) },
        ({ all, own }) => `${all} - 1.1 * ${own}`,
      ),
      { periods: 3, datapoints: 2, mayWake: true },
    ),

    NothingServedAlarm: alarm(
      'nothing-served',
      `In each of three five-minute periods with at least 20 requests, the functions answered more than nine of ten with
      neither 2xx nor 410. First step: see "Failures by code" on the dashboard. token_rejected: read the reason in the event
      of that name; if it is the same for everybody, the issuer or the configuration has changed. Another code: its own
      alarm. Strangers without a token can cause this, too: "Who still calls" has the calls of known clients.`,
      comparison(
        'share of answers that are neither 2xx nor 410, of 20 requests or more',
        {
          refused: endpoints.map(name => ofService('AnswersNot2xx', name)),
          requests: endpoints.map(name => ofService('Requests', name)),
        },
        ({ refused, requests }) => `IF(${requests} >= 20, ${refused} / ${requests}, 0)`,
      ),
      { threshold: 0.9, periods: 3 },
    ),

    AnswerCutAlarm: alarm(
      'answer-cut',
      `A 200 broke off while it was being streamed: its client received JSON that ends too early. Nothing is lost, the
      same request gives the whole. First step: filter the functions' logs for the event answer_cut, and read its code.
      table_busy: the table is throttled or does not answer, see the dashboard. answer_too_large: the client was too
      slow for the function's time-out, or the answer exceeds 200 MB; ask for a compressed answer, or raise
      streamTimeoutSeconds. internal_error: a bug; the alarm unexpected-error goes off, too.`,
      sum(
        'answers that were cut',
        endpoints.map(name => ofService('AnswersCut', name)),
      ),
    ),

    IssuerUnavailableAlarm: alarm(
      'issuer-unavailable',
      `In two of three five-minute periods a token issuer's keys could not be fetched. First step: read the reason in the
      event key_fetch_failed, and fetch the issuer's jwksUri from elsewhere. If that works, check the functions' route to the
      internet (VPC, NAT). If not, the issuer is down.`,
      sum(
        'fetches of keys that failed',
        endpoints.map(name => ofService('KeyFetchesFailed', name)),
      ),
      { periods: 3, datapoints: 2 },
    ),

    RefusalFloodAlarm: alarm(
      'refusal-flood',
      `In two of three five-minute periods, more requests were refused (4xx) than a tenth of what throttleRate allows: a
      client repeats a call that is refused, somebody tries tokens or paths, or the rate limit refuses customers. First
      step: see on the dashboard who refuses. The functions (401, 403): the event request_answered names the client of
      each 403, token_rejected the reason of each 401. The gateway (404, 413, 429): deploy gatewayAccessLogs=true, which
      logs address and answer of each call; when they are 429 to customers, raise throttleRate.`,
      metric(gateway('4XXError')),
      { threshold: throttleRate * 30, periods: 3, datapoints: 2 },
    ),

    SlowAnswersAlarm: alarm(
      'slow-answers',
      `In each of three five-minute periods with at least 20 requests, half of them took longer than five seconds. First
      step: compare on the dashboard the latency of the gateway with that of its integration and with the functions'
      duration. Only the first is high: API Gateway; see AWS's health dashboard. All are high: the table (throttling, or
      DynamoDB's latency), an issuer whose keys are fetched slowly, or removals of many users, which end by themselves.`,
      expression(
        'median latency, ms, of 20 requests or more',
        'IF(FILL(requests, 0) >= 20, FILL(latency, 0), 0)',
        { requests: [gateway('Count'), 'SampleCount'], latency: [gateway('Latency'), 'p50'] },
      ),
      { threshold: 5000, periods: 3 },
    ),

    ThrottlingAlarm: alarm(
      'throttling',
      `Twice within ${givenUpPeriods * 5} minutes, a function gave up because DynamoDB refused its calls or did not answer, or
      Lambda refused to run a function. First step: read the reason of the events table_busy. It says why DynamoDB does not
      answer; when it refuses, see the alarm table-throttled. No such event: see "Throttled" on the dashboard; the functions
      of the account together use Lambda's whole concurrency, or these use what is reserved for them. Clients that were
      answered 503 send the request again.`,
      sum('calls that were given up or refused', [
        ...all.map(name => ofService('TableBusy', name)),
        ...all.map(name => ofLambda('Throttles', name)),
      ]),
      { periods: givenUpPeriods, datapoints: 2, mayWake: true },
    ),

    TableThrottledAlarm: alarm(
      'table-throttled',
      `In two of three five-minute periods DynamoDB refused calls of the table, of this service or of another one. The
      functions repeat them; those that they give up raise the alarm throttling. First step: see "Throttled" on the dashboard
      and the saved query "removals and their users". One partition gets more calls than it allows: a removal writes the
      partition of its memberships, a list reads one, an import writes many. It ends with the load.`,
      sum('calls that DynamoDB refused', refusalsOf(options)),
      { periods: 3, datapoints: 2 },
    ),

    BudgetExpiredAlarm: alarm(
      'budget-expired',
      `In each of three five-minute periods, the time limit of at least ten removals expired: providers have more users
      than one request can unlink, or the table is slow. First step: run the saved query "removals and their users" and
      see whether "unlinked" grows with each attempt. If it does, clients only have to send the DELETE again. If not,
      look at the table's throttling and latency on the dashboard.`,
      sum(
        'removals that ran out of time',
        removingEndpoints.map(name => ofService('BudgetExpired', name)),
      ),
      { threshold: 10, orMore: true, periods: 3 },
    ),

    RemovalUnfinishedAlarm: alarm(
      'removal-unfinished',
      `A removal has been unfinished for longer than the longest request and three runs of the function that finishes
      removals, or that function does not run. In the first minutes of a new stage there was no run yet. The provider is
      not listed any more, and some of its users may still be linked to it. First step: read the log of the
      function finishRemovals: each table_busy or unexpected_error names its provider_id and the reason, removals_checked
      says how many are unfinished. A DELETE of the provider continues the removal, too.`,
      // A run logs at its end: from a short run to a long one, that takes nearly two intervals.
      metric(
        ofService('OldestUnfinishedRemovalSeconds', finishFunction),
        'Maximum',
        finishEveryMinutes * 60 * 3,
      ),
      { threshold: maxWaitSeconds + finishEveryMinutes * 60 * 3, missingIsBad: true },
    ),

    MembershipDriftAlarm: alarm(
      'membership-drift',
      `The number of memberships that a removal found differs from the provider's member_count: a writer breaks the rules
      of infra/data/membership/README.md. The removal continued with the memberships it found. First step: filter the log
      for the event membership_drift, and compare that provider's users in your records with the DELETE's answer.`,
      sum(
        'removals with another number of memberships than counted',
        removing.map(name => ofService('MembershipDrift', name)),
      ),
    ),
  }
}
