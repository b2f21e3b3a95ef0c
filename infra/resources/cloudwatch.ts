import { type metrics, namespace } from '../../lib/metrics.ts'

/** The logical ids of the table and the functions. */
export const tableId = 'ProviderTable'
export const list = 'ListSamlProvidersLambdaFunction'
export const remove = 'DeleteSamlProviderLambdaFunction'
export const finish = 'FinishRemovalsLambdaFunction'

/** Of a deployment, as the names of its resources contain them. */
export interface Deployment {
  service: string
  stageName: string
}

/** The dimensions of a metric, in order; a value is a text, or the logical id of a resource. */
export interface Metric {
  namespace: string
  name: string
  dimensions: Record<string, string | { Ref: string }>
}

/** A metric of the functions. */
export const ofService = (name: keyof typeof metrics, logicalId: string, code?: string): Metric => ({
  namespace,
  name,
  dimensions: { function: { Ref: logicalId }, ...(code && { code }) },
})

/** A metric of Lambda about a function. */
export const ofLambda = (name: 'Errors' | 'Throttles', logicalId: string): Metric => ({
  namespace: 'AWS/Lambda',
  name,
  dimensions: { FunctionName: { Ref: logicalId } },
})

/** A metric of API Gateway about the stage. */
export const ofGateway =
  ({ service, stageName }: Deployment) =>
  (name: '4XXError' | '5XXError' | 'Count' | 'Latency'): Metric => ({
    namespace: 'AWS/ApiGateway',
    name,
    dimensions: { ApiName: `${stageName}-${service}`, Stage: stageName },
  })

/** A metric of DynamoDB about the table. */
export const ofTable = (name: 'ReadThrottleEvents' | 'WriteThrottleEvents'): Metric => ({
  namespace: 'AWS/DynamoDB',
  name,
  dimensions: { TableName: { Ref: tableId } },
})
