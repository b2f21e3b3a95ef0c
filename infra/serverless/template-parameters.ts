import * as v from 'valibot'

const whole = (least: number, most: number) => {
  const rule = `must be a whole number from ${least} to ${most}`
  return v.pipe(
    v.string(),
    v.regex(/^\d{1,9}$/, rule),
    v.transform(Number),
    v.minValue(least, rule),
    v.maxValue(most, rule),
  )
}

/** The retention periods that CloudWatch Logs accepts, in days. @internal */
export const retentionDays = [
  ...[1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731],
  ...[1096, 1827, 2192, 2557, 2922, 3288, 3653],
]

const flag = v.pipe(
  v.picklist(['true', 'false'], 'must be true or false'),
  v.transform(text => text === 'true'),
)

/** The parameters that only the templates use, as texts; the functions have the others as environment variables. */
export const templateParameters = {
  createTable: flag,
  throttleRate: whole(1, 10_000),
  throttleBurst: whole(1, 5_000),
  reservedConcurrency: v.pipe(
    v.string(),
    v.regex(/^([1-9]\d{0,2}|1000|)$/, 'must be a whole number from 1 to 1000, or empty'),
    v.transform(Number),
  ),
  streamTimeoutSeconds: whole(2, 900),
  finishEveryMinutes: whole(1, 60),
  gatewayAccessLogs: flag,
  tracing: flag,
  disableExecuteApiEndpoint: flag,
  logRetentionDays: v.pipe(
    v.picklist(retentionDays.map(String), `must be one of ${retentionDays.join(', ')}`),
    v.transform(Number),
  ),
  alarmTopicArn: v.pipe(
    v.string(),
    v.regex(/^(arn:aws[\w-]*:sns:[\w-]+:\d{12}:[\w-]{1,256})?$/, 'must be the ARN of an SNS topic, or empty'),
  ),
}

/** @throws Error that names every wrong parameter */
export function readTemplateParameters(texts: Record<string, string>) {
  const parsed = v.safeParse(v.object(templateParameters), texts)
  if (parsed.success) return parsed.output
  throw new Error(parsed.issues.map(issue => `${v.getDotPath(issue)} ${issue.message}`).join('; '))
}
