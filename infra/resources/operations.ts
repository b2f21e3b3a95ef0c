import { alarms, type AlarmOptions } from './alarms.ts'
import { logicalId } from './cloudwatch.ts'
import { dashboard } from './dashboard.ts'
import { queries } from './queries.ts'

interface Options extends AlarmOptions {
  /** Whether the functions send traces to X-Ray. */
  tracing: boolean
}

/** What follows the functions of serverless.yml: alarms, dashboard, saved queries, and the right to send traces. */
export function operations(options: Options) {
  const { Resources, Outputs } = dashboard(options)
  return {
    Resources: {
      ...alarms(options),
      ...Resources,
      ...queries(options),
      ...(options.tracing && { TracingPolicy: tracingPolicy(options) }),
    },
    Outputs,
  }
}

/** The roles' right to send traces. X-Ray has no resources: the only wildcard. */
const tracingPolicy = ({ functions }: Options) => ({
  Type: 'AWS::IAM::Policy',
  Properties: {
    PolicyName: 'tracing',
    Roles: functions.map(({ name }) => ({ Ref: logicalId(name, 'Role') })),
    PolicyDocument: {
      Version: '2012-10-17',
      Statement: [
        { Effect: 'Allow', Action: ['xray:PutTraceSegments', 'xray:PutTelemetryRecords'], Resource: '*' },
      ],
    },
  },
})
