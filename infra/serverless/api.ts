import { logicalId } from '../resources/cloudwatch.ts'
import { gatewayResponses } from '../resources/gateway-responses.ts'
import { endpoints, endpointUrls, scheduledFunctions, serviceName } from './service-definition.ts'

interface ApiOptions {
  stageName: string
  throttleRate: number
  throttleBurst: number
  gatewayAccessLogs: boolean
  tracing: boolean
  logRetentionDays: number
  disableExecuteApiEndpoint: boolean
  /** The deprecation headers. */
  deprecation: Record<string, string>
}

/** Logs that are kept so long may be evidence of who removed what: the stack does not delete them. */
const yearDays = 365

const logGroupIds = [...endpoints, ...scheduledFunctions].map(({ name }) => logicalId(name, 'LogGroup'))

/** The gateway's access log: it also has calls that the gateway refuses, and the client's address. */
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
 * The parts of the API's template that the framework does not generate: the stage as a resource, whose deployment
 * api-deployment.ts adds, the gateway's own answers, and the endpoints' URLs as outputs, unless only a custom domain has
 * them.
 *
 * The framework lets the deployment create the stage; a stage created so cannot have throttling, tracing or logs.
 */
export function apiResources(options: ApiOptions) {
  const { stageName, throttleRate, throttleBurst, gatewayAccessLogs, logRetentionDays } = options
  const { disableExecuteApiEndpoint } = options
  const answers = gatewayResponses(options.deprecation)
  // A deployment that fails deletes the log groups that it has created.
  const logPolicies =
    logRetentionDays < yearDays
      ? { DeletionPolicy: 'Delete', UpdateReplacePolicy: 'Delete' }
      : { DeletionPolicy: 'RetainExceptOnCreate', UpdateReplacePolicy: 'Retain' }
  const stage = {
    Type: 'AWS::ApiGateway::Stage',
    Properties: {
      RestApiId: { Ref: 'ApiGatewayRestApi' },
      StageName: stageName,
      TracingEnabled: options.tracing,
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
  // Also when nothing is logged: a log group that left the stack and is kept could not be created again.
  const logGroup = {
    Type: 'AWS::Logs::LogGroup',
    ...logPolicies,
    Properties: {
      // The framework deletes the log group of this name without "/access" after each deployment.
      LogGroupName: `/aws/api-gateway/${serviceName}-${stageName}/access`,
      RetentionInDays: logRetentionDays,
    },
  }
  const url = `https://\${ApiGatewayRestApi}.execute-api.\${AWS::Region}.\${AWS::URLSuffix}/${stageName}`
  const { listUrl, deleteUrl } = endpointUrls(url)
  return {
    Resources: {
      ...answers,
      ApiGatewayStage: stage,
      ApiGatewayLogGroup: logGroup,
    },
    extensions: {
      ApiGatewayRestApi: { Properties: { DisableExecuteApiEndpoint: disableExecuteApiEndpoint } },
      ...Object.fromEntries(logGroupIds.map(id => [id, logPolicies])),
    },
    Outputs: disableExecuteApiEndpoint
      ? {}
      : {
          ListUrl: { Description: 'GET lists the SAML providers.', Value: { 'Fn::Sub': listUrl } },
          DeleteUrl: {
            Description: 'DELETE removes the SAML provider whose id is appended.',
            Value: { 'Fn::Sub': deleteUrl },
          },
        },
  }
}
