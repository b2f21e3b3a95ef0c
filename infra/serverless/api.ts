import { endpointUrls, endpoints, gatewayResponseIds } from './service-definition.ts'

interface ApiOptions {
  /** The framework's id of this run, which is in the deployment's logical id. */
  instanceId: unknown
  stageName: unknown
  throttleRate: number
  throttleBurst: number
  /** How many of each function may run at once; undefined for no limit of their own. */
  reservedConcurrency: number | undefined
  gatewayAccessLogs: boolean
  logRetentionDays: number
}

/** What the gateway alone knows: the calls that it refuses itself, and where they came from. */
const accessLogFields = {
  request_id: '$context.requestId',
  method: '$context.httpMethod',
  route: '$context.resourcePath',
  status: '$context.status',
  gateway_answer: '$context.error.responseType',
  latency_ms: '$context.responseLatency',
  source_ip: '$context.identity.sourceIp',
  user_agent: '$context.identity.userAgent',
}

/**
 * What the template says of the API and its functions beyond what the framework makes: the stage as a resource, the
 * order of the deployment, the functions' concurrency, and the URLs of the endpoints.
 *
 * The framework leaves it to the deployment to make a stage by its name, and such a stage has neither throttling nor
 * tracing nor logs in the template.
 */
export function apiResources(options: ApiOptions) {
  const { instanceId, stageName, throttleRate, throttleBurst, gatewayAccessLogs, logRetentionDays } = options
  const deployment = `ApiGatewayDeployment${instanceId}`
  const stage = {
    Type: 'AWS::ApiGateway::Stage',
    Properties: {
      RestApiId: { Ref: 'ApiGatewayRestApi' },
      DeploymentId: { Ref: deployment },
      StageName: stageName,
      TracingEnabled: true,
      MethodSettings: [
        {
          HttpMethod: '*',
          ResourcePath: '/*',
          ThrottlingRateLimit: throttleRate,
          ThrottlingBurstLimit: throttleBurst,
        },
      ],
      ...(gatewayAccessLogs && {
        AccessLogSetting: {
          DestinationArn: { 'Fn::GetAtt': ['ApiGatewayLogGroup', 'Arn'] },
          Format: JSON.stringify(accessLogFields),
        },
      }),
    },
  }
  const logGroup = {
    Type: 'AWS::Logs::LogGroup',
    Properties: {
      // After each deployment the framework deletes the group of the same name without "/access".
      // biome-ignore lint/suspicious/noTemplateCurlyInString: CloudFormation's own
      LogGroupName: { 'Fn::Sub': '/aws/api-gateway/${AWS::StackName}/access' },
      RetentionInDays: logRetentionDays,
    },
  }
  const url = `https://\${ApiGatewayRestApi}.execute-api.\${AWS::Region}.\${AWS::URLSuffix}/${stageName}`
  const { listUrl, deleteUrl } = endpointUrls(url)
  return {
    Resources: { ApiGatewayStage: stage, ...(gatewayAccessLogs && { ApiGatewayLogGroup: logGroup }) },
    extensions: {
      [deployment]: {
        // Without a name, the deployment makes no stage of its own.
        Properties: { StageName: { Ref: 'AWS::NoValue' } },
        // It is a picture of the API, so it is taken after the gateway's answers are there.
        DependsOn: gatewayResponseIds,
      },
      ...limits(options.reservedConcurrency),
    },
    Outputs: {
      ListUrl: { Description: 'GET lists the SAML providers.', Value: { 'Fn::Sub': listUrl } },
      DeleteUrl: {
        Description: 'DELETE removes the SAML provider whose id is added to it.',
        Value: { 'Fn::Sub': deleteUrl },
      },
    },
  }
}

function limits(reservedConcurrency: number | undefined) {
  if (reservedConcurrency === undefined) return {}
  const Properties = { ReservedConcurrentExecutions: reservedConcurrency }
  return Object.fromEntries(
    endpoints.map(({ name }) => [`${upperFirst(name)}LambdaFunction`, { Properties }]),
  )
}

const upperFirst = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
