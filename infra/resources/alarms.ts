import { alarmsOf, expression, metric, sum, sumOf } from './alarm.ts'
import {
  type Deployment,
  finish,
  list,
  ofGateway,
  ofLambda,
  ofService,
  ofTable,
  remove,
} from './cloudwatch.ts'

interface Options extends Deployment {
  /** ARNs of SNS topics. */
  alarmActions: string[]
  finishEveryMinutes: number
  /** The longest time of a request, in which a removal is not abandoned. */
  maxWaitSeconds: number
  /** Requests per second that the gateway accepts. */
  throttleRate: number
}

/** All alarms, by logical id. Each description says the cause and the first step. */
export function alarms(options: Options) {
  const { alarmActions, finishEveryMinutes, maxWaitSeconds, throttleRate, ...deployment } = options
  const gateway = ofGateway(deployment)
  const alarm = alarmsOf(deployment, alarmActions)
  const bugs = {
    listBug: ofService('Errors', list, 'internal_error'),
    deleteBug: ofService('Errors', remove, 'internal_error'),
    listCrash: ofLambda('Errors', list),
    deleteCrash: ofLambda('Errors', remove),
    finishCrash: ofLambda('Errors', finish),
  }
  return {
    UnexpectedErrorAlarm: alarm(
      'unexpected-error',
      `A request was answered 500, a function crashed or timed out, or API Gateway answered 5xx without a function: a
      bug or a faulty deployment. First step: filter the functions' logs for the event unexpected_error or "Status:
      timeout". If there is none, see "Between gateway and function" on the dashboard, and the alarm throttling: API
      Gateway answers 500 when Lambda throttles. If it began with a deployment, roll back. An interrupted removal
      continues when its DELETE is sent again. A function's own 503 does not count; at the border of two periods it can
      ring the alarm once.`,
      expression(
        'signs of unexpected errors',
        `${sumOf(Object.keys(bugs))} + IF(unanswered > 0, unanswered, 0)`,
        {
          unanswered: {
            label: '5xx that no function answered',
            expression: 'FILL(failed, 0) - FILL(listFailed, 0) - FILL(deleteFailed, 0)',
          },
          failed: gateway('5XXError'),
          listFailed: ofService('Answers5xx', list),
          deleteFailed: ofService('Answers5xx', remove),
          ...bugs,
        },
      ),
    ),

    AnswerCutAlarm: alarm(
      'answer-cut',
      `A 200 broke off while it was being streamed: its client received JSON that ends too early. Nothing is lost, the
      same request gives the whole. First step: filter the functions' logs for the event answer_cut, and read its code.
      table_busy: the table is throttled or does not answer, see the dashboard. answer_too_large: the client was too
      slow for the function's time-out, or the answer exceeds 200 MB; ask for a compressed answer, or raise
      streamTimeoutSeconds. internal_error: a bug; the alarm unexpected-error fires, too.`,
      sum('answers that were cut', {
        lists: ofService('AnswersCut', list),
        removals: ofService('AnswersCut', remove),
      }),
    ),

    IssuerUnavailableAlarm: alarm(
      'issuer-unavailable',
      `In two of three five-minute periods callers were refused because a token issuer's keys could not be fetched. First
      step: read the reason in the event issuer_unavailable, and fetch the issuer's jwksUri from elsewhere. If that
      works, check the functions' route to the internet (VPC, NAT). If not, the issuer is down.`,
      sum('refused because of the issuer', {
        listCalls: ofService('Errors', list, 'issuer_unavailable'),
        deleteCalls: ofService('Errors', remove, 'issuer_unavailable'),
      }),
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
      `In two of three five-minute periods DynamoDB or Lambda throttled calls. First step: see on the dashboard which of
      them. Lambda: the functions of the account together use its whole concurrency. DynamoDB: one partition gets more
      calls than it allows (a removal writes the partition of its memberships, a list reads one); it ends with the load,
      and clients that were answered table_busy send the request again.`,
      sum('throttled calls', {
        reads: ofTable('ReadThrottleEvents'),
        writes: ofTable('WriteThrottleEvents'),
        listCalls: ofLambda('Throttles', list),
        deleteCalls: ofLambda('Throttles', remove),
      }),
      { periods: 3, datapoints: 2 },
    ),

    BudgetExpiredAlarm: alarm(
      'budget-expired',
      `In each of three five-minute periods, the time limit of at least ten removals expired: providers have more users
      than one request can unlink, or the table is slow. First step: run the saved query "removals and their users" and
      see whether "unlinked" grows with each attempt. If it does, clients only have to send the DELETE again. If not,
      look at the table's throttling and latency on the dashboard.`,
      metric(ofService('BudgetExpired', remove)),
      { threshold: 10, orMore: true, periods: 3 },
    ),

    RemovalUnfinishedAlarm: alarm(
      'removal-unfinished',
      `A removal has been unfinished for longer than the longest request and three runs of the function that finishes
      removals, or that function does not run. In the first minutes of a new stage there was no run yet. The provider is not listed any more, and some of its users may still be linked to it. First step:
      read the log of the function finishRemovals: each table_busy or unexpected_error names its provider_id and the
      reason, removals_checked says how many are unfinished. A DELETE of the provider continues the removal, too.`,
      // A run logs at its end: from a short run to a long one, that takes nearly two intervals.
      metric(ofService('OldestUnfinishedRemovalSeconds', finish), 'Maximum', finishEveryMinutes * 60 * 3),
      { threshold: maxWaitSeconds + finishEveryMinutes * 60 * 3, missingIsBad: true },
    ),

    MembershipDriftAlarm: alarm(
      'membership-drift',
      `The number of memberships that a removal found differs from the provider's member_count: a writer breaks the rules
      of infra/data/membership/README.md. The removal continued with the memberships it found. First step: filter the log
      for the event membership_drift, and compare that provider's users in your records with the DELETE's answer.`,
      sum('removals with another number of memberships than counted', {
        asked: ofService('MembershipDrift', remove),
        scheduled: ofService('MembershipDrift', finish),
      }),
    ),
  }
}
