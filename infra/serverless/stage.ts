interface StageOptions {
  /** The framework's id of this run, which is in the deployment's logical id. */
  instanceId: unknown
  stageName: unknown
  throttleRate: number
  throttleBurst: number
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
 * The API's stage as a resource. The framework leaves it to the deployment to make one by its name, and such a stage
 * has neither throttling nor tracing nor logs in the template.
 */
export function stageResources(options: StageOptions) {
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
      // biome-ignore lint/suspicious/noTemplateCurlyInString: CloudFormation's own
      LogGroupName: { 'Fn::Sub': '/aws/api-gateway/${AWS::StackName}' },
      RetentionInDays: logRetentionDays,
    },
  }
  return {
    Resources: { ApiGatewayStage: stage, ...(gatewayAccessLogs && { ApiGatewayLogGroup: logGroup }) },
    // Without a name, the deployment makes no stage of its own.
    extensions: { [deployment]: { Properties: { StageName: { Ref: 'AWS::NoValue' } } } },
  }
}
