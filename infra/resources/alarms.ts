import { alarmsOf, expressionOfSums, expression, metric, sum } from './alarm.ts'
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

/** All alarms, by logical id; infra/alarms.md has the steps of each. */
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
      "A function answered 500, crashed, or ran out of Lambda's time.",
      sum('signs of unexpected errors', [
        ...endpoints.map(name => ofService('Errors', name, 'internal_error')),
        ...all.map(name => ofLambda('Errors', name)),
      ]),
      { mayWake: true },
    ),

    UnansweredAlarm: alarm(
      'unanswered',
      'API Gateway answered 5xx that no function answered.',
      // The functions' own 5xx need no token. A tenth more of them, because both count them in different periods.
      expressionOfSums(
        '5xx that no function answered',
        { all: [gateway('5XXError')], own: endpoints.map(name => ofService('Answers5xx', name)) },
        ({ all, own }) => `${all} - 1.1 * ${own}`,
      ),
      { periods: 3, datapoints: 2, mayWake: true },
    ),

    NothingServedAlarm: alarm(
      'nothing-served',
      'The functions answered more than nine of ten requests, of 20 or more, with neither 2xx nor 410.',
      expressionOfSums(
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
      'A 200 broke off while it was streamed; unexpected-error may go off, too, because the runtime reports the failure to Lambda.',
      sum(
        'answers that were cut',
        endpoints.map(name => ofService('AnswersCut', name)),
      ),
    ),

    IssuerUnavailableAlarm: alarm(
      'issuer-unavailable',
      "A token issuer's keys could not be fetched.",
      sum(
        'fetches of keys that failed',
        endpoints.map(name => ofService('KeyFetchesFailed', name)),
      ),
      { periods: 3, datapoints: 2 },
    ),

    RefusalFloodAlarm: alarm(
      'refusal-flood',
      'More requests were answered 4xx than a tenth of what throttleRate allows.',
      metric(gateway('4XXError')),
      { threshold: throttleRate * 30, periods: 3, datapoints: 2 },
    ),

    SlowAnswersAlarm: alarm(
      'slow-answers',
      'Half of the requests, of 20 or more, took longer than five seconds.',
      expression(
        'median latency, ms, of 20 requests or more',
        'IF(FILL(requests, 0) >= 20, FILL(latency, 0), 0)',
        { requests: [gateway('Count'), 'SampleCount'], latency: [gateway('Latency'), 'p50'] },
      ),
      { threshold: 5000, periods: 3 },
    ),

    ThrottlingAlarm: alarm(
      'throttling',
      'A function gave up because DynamoDB refused its calls or did not answer, or Lambda refused to run a function.',
      sum('calls that were given up or refused', [
        ...all.map(name => ofService('TableBusy', name)),
        ...all.map(name => ofLambda('Throttles', name)),
      ]),
      { periods: givenUpPeriods, datapoints: 2, mayWake: true },
    ),

    TableThrottledAlarm: alarm(
      'table-throttled',
      'DynamoDB refused calls of the table, which the functions repeat.',
      sum('calls that DynamoDB refused', refusalsOf(options)),
      { periods: 3, datapoints: 2 },
    ),

    BudgetExpiredAlarm: alarm(
      'budget-expired',
      'Removals ran out of time.',
      sum(
        'removals that ran out of time',
        removingEndpoints.map(name => ofService('BudgetExpired', name)),
      ),
      { threshold: 10, orMore: true, periods: 3 },
    ),

    RemovalUnfinishedAlarm: alarm(
      'removal-unfinished',
      'A removal is unfinished for longer than maxWaitSeconds and three runs of finishRemovals, so some users may still be linked, or that function does not run; a new stage is in alarm until its first run.',
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
      'A removal found other memberships than member_count, or a repeated DELETE others than were listed.',
      sum(
        'removals with another number of memberships than counted',
        removing.map(name => ofService('MembershipDrift', name)),
      ),
    ),
  }
}
