import * as v from 'valibot'
import { whole } from '../../lib/config.ts'

/** Texts of the parameters, by name. */
export type Parameters = Record<string, string>

const concurrency = whole(1, 1000)
const flag = v.picklist(['true', 'false'], 'must be true or false')

/** The parameters that only the templates read; the framework's schema refuses other values of logRetentionDays. */
const schema = v.object({
  createTable: flag,
  gatewayAccessLogs: flag,
  streamTimeoutSeconds: whole(2, 900),
  throttleRate: whole(1, 10_000),
  reservedConcurrency: v.union([v.literal(''), concurrency], 'must be a whole number, or empty'),
  alarmTopicArn: v.pipe(
    v.string(),
    v.regex(/^(arn:aws[\w-]*:sns:[\w-]+:\d{12}:[\w-]{1,256})?$/, 'must be the ARN of an SNS topic, or empty'),
  ),
})

/** The values of `${computed:NAME}` in serverless.yml. */
export const computed: Record<string, (parameters: Parameters) => unknown> = {
  // A wrong one is 900, for the framework to go on to the refusal.
  timeoutSeconds: parameters => v.parse(v.fallback(whole(1, 900), 900), String(timeoutSecondsOf(parameters))),
  alarmActions: ({ alarmTopicArn }) => (alarmTopicArn === '' ? { Ref: 'AWS::NoValue' } : [alarmTopicArn]),
  // A wrong one is null, for the same reason.
  reservedConcurrency: ({ reservedConcurrency: wanted }) => (v.is(concurrency, wanted) ? wanted : null),
}

/** @returns one fault for each wrong parameter of those that only the templates read */
export function faultyParameters(parameters: Parameters): string[] {
  const { issues = [] } = v.safeParse(schema, parameters)
  const faults = issues.map(issue => `${v.getDotPath(issue)} ${issue.message}`)
  const isTooShort = timeoutSecondsOf(parameters) <= Number(parameters.maxWaitSeconds)
  return isTooShort ? [...faults, 'streamTimeoutSeconds must be more than maxWaitSeconds'] : faults
}

/**
 * The time-out of functions and gateway: the time to send a long answer or, where answers are buffered, the longest wait
 * and one second, because API Gateway has a limit of 29 s for these.
 */
export const timeoutSecondsOf = ({
  responseTransferMode,
  streamTimeoutSeconds,
  maxWaitSeconds,
}: Parameters): number =>
  responseTransferMode === 'BUFFERED' ? Number(maxWaitSeconds) + 1 : Number(streamTimeoutSeconds)
