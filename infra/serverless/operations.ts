import * as v from 'valibot'

const whole = (least: number, most: number) =>
  v.pipe(
    v.union([v.number(), v.pipe(v.string(), v.regex(/^\d{1,9}$/), v.transform(Number))]),
    v.integer(),
    v.minValue(least),
    v.maxValue(most),
  )

/** The retention periods that CloudWatch Logs accepts, in days. */
export const retentionDays = [
  ...[1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731],
  ...[1096, 1827, 2192, 2557, 2922, 3288, 3653],
]

/** Parameters that only the templates use, each with its schema and rule. */
const parameters = {
  throttleRate: [whole(1, 10_000), 'must be a whole number from 1 to 10000'],
  throttleBurst: [whole(1, 5_000), 'must be a whole number from 1 to 5000'],
  reservedConcurrency: [
    v.union([
      v.pipe(
        v.literal(''),
        v.transform(() => undefined),
      ),
      whole(1, 1_000),
    ]),
    'must be a whole number from 1 to 1000, or empty',
  ],
  streamTimeoutSeconds: [whole(2, 900), 'must be a whole number from 2 to 900'],
  finishEveryMinutes: [whole(1, 60), 'must be a whole number from 1 to 60'],
  gatewayAccessLogs: [
    v.pipe(
      v.union([v.boolean(), v.picklist(['true', 'false'])]),
      v.transform(value => String(value) === 'true'),
    ),
    'must be true or false',
  ],
  logRetentionDays: [
    v.pipe(
      whole(1, 3653),
      v.check(days => retentionDays.includes(days)),
    ),
    `must be one of ${retentionDays.join(', ')}`,
  ],
  alarmTopicArn: [
    v.pipe(v.string(), v.regex(/^(arn:aws[\w-]*:sns:[\w-]+:\d{12}:[\w-]{1,256})?$/)),
    'must be the ARN of an SNS topic, or empty',
  ],
  tableName: [
    v.pipe(v.string(), v.regex(/^([\w.-]{3,255})?$/)), // lib/config.ts reports an empty name as missing
    'must be 3 to 255 letters, digits, underscores, dots and hyphens',
  ],
} as const

type Operations = { [Name in keyof typeof parameters]: v.InferOutput<(typeof parameters)[Name][0]> }

/** @returns the values, or a sentence that names every wrong parameter */
export async function readOperations(
  resolveVariable: (address: string) => Promise<unknown>,
): Promise<Operations | string> {
  const values: Record<string, unknown> = {}
  const faults: string[] = []
  for (const [name, [schema, rule]] of Object.entries(parameters)) {
    const parsed = v.safeParse(schema, (await resolveVariable(`param:${name}`)) ?? '')
    if (parsed.success) values[name] = parsed.output
    else faults.push(`${name} ${rule}`)
  }
  return faults.length > 0 ? faults.join('; ') : (values as Operations)
}
