/**
 * What CloudFormation calls, with the deployer's rights, for each type of resource in the template.
 *
 * From the permissions of the "handlers" in CloudFormation's resource schemas (`aws cloudformation describe-type`), without
 * those for properties that the template does not have. The schemas of rules and of functions' permissions have no
 * handlers: these are the calls of the services' APIs. Left out on purpose are DeleteTable, because the stack keeps its
 * table, and DeleteRolePermissionsBoundary.
 */
export const handlers: Record<string, string> = {
  'AWS::ApiGateway::Deployment': 'apigateway: DELETE GET PATCH POST PUT',
  'AWS::ApiGateway::GatewayResponse': 'apigateway: DELETE GET PUT',
  'AWS::ApiGateway::Method': 'apigateway: DELETE GET PUT',
  'AWS::ApiGateway::Resource': 'apigateway: DELETE GET PATCH POST',
  'AWS::ApiGateway::RestApi': 'apigateway: DELETE GET PATCH POST PUT',
  'AWS::ApiGateway::Stage': 'apigateway: DELETE GET PATCH POST PUT',
  'AWS::CloudWatch::Alarm':
    'cloudwatch: DeleteAlarms ListTagsForResource PutMetricAlarm TagResource UntagResource',
  'AWS::CloudWatch::Dashboard': 'cloudwatch: DeleteDashboards GetDashboard PutDashboard',
  'AWS::DynamoDB::Table':
    'dynamodb: CreateTable DescribeContinuousBackups DescribeContributorInsights DescribeKinesisStreamingDestination DescribeTable DescribeTimeToLive ListTagsOfResource TagResource UntagResource UpdateContinuousBackups UpdateTable UpdateTimeToLive',
  'AWS::Events::Rule':
    'events: DeleteRule DescribeRule ListTargetsByRule PutRule PutTargets RemoveTargets TagResource UntagResource',
  'AWS::IAM::Role':
    'iam: AttachRolePolicy CreateRole DeleteRole DeleteRolePolicy DetachRolePolicy GetRole GetRolePolicy ListAttachedRolePolicies ListRolePolicies PutRolePermissionsBoundary PutRolePolicy TagRole UntagRole UpdateAssumeRolePolicy UpdateRole UpdateRoleDescription',
  'AWS::Lambda::EventInvokeConfig':
    'lambda: DeleteFunctionEventInvokeConfig GetFunctionEventInvokeConfig PutFunctionEventInvokeConfig UpdateFunctionEventInvokeConfig',
  'AWS::Lambda::Function':
    'lambda: CreateFunction DeleteFunction DeleteFunctionConcurrency GetFunction GetFunctionCodeSigningConfig GetFunctionRecursionConfig GetFunctionScalingConfig GetRuntimeManagementConfig ListTags PublishVersion PutFunctionConcurrency PutRuntimeManagementConfig TagResource UntagResource UpdateFunctionCode UpdateFunctionConfiguration',
  'AWS::Lambda::Permission': 'lambda: AddPermission GetPolicy RemovePermission',
  'AWS::Lambda::Version':
    'lambda: DeleteFunction GetFunctionConfiguration GetProvisionedConcurrencyConfig GetRuntimeManagementConfig ListVersionsByFunction PublishVersion PutRuntimeManagementConfig',
  'AWS::Logs::LogGroup':
    'logs: AssociateKmsKey CreateLogGroup DeleteLogGroup DeleteRetentionPolicy DisassociateKmsKey GetDataProtectionPolicy ListTagsForResource ListTagsLogGroup PutRetentionPolicy TagLogGroup TagResource UntagLogGroup UntagResource',
  'AWS::Logs::QueryDefinition': '',
  'AWS::S3::Bucket':
    's3: CreateBucket DeleteBucket GetBucketPublicAccessBlock GetBucketTagging GetBucketVersioning GetEncryptionConfiguration GetLifecycleConfiguration ListBucket ListTagsForResource PutBucketPublicAccessBlock PutBucketTagging PutEncryptionConfiguration TagResource UntagResource',
  'AWS::S3::BucketPolicy': 's3: DeleteBucketPolicy GetBucketPolicy PutBucketPolicy',
}

/** Calls of the handlers that know no resources. */
export const withoutResources = [
  'cloudwatch:DescribeAlarms',
  'logs:DeleteQueryDefinition',
  'logs:DescribeLogGroups',
  'logs:DescribeQueryDefinitions',
  'logs:PutQueryDefinition',
]

/**
 * What the framework calls beside our commands, as test/engines/localstack.test.ts records it; and the tags of the stack,
 * which have actions of their own.
 */
export const framework = [
  'cloudformation:DescribeStackEvents',
  'cloudformation:DescribeStackResource',
  'cloudformation:ExecuteChangeSet',
  'cloudformation:TagResource',
  'cloudformation:UntagResource',
  'cloudformation:ValidateTemplate',
]
