import { type metrics, namespace } from '../../lib/metrics.ts'

/** The function that reports unfinished removals. */
export const finishFunction = 'finishRemovals'

/** A function as serverless.yml declares it. Without a route it runs on a schedule. */
interface DeclaredFunction {
  name: string
  http: readonly { method: string }[]
}

/** Of a deployment, as its resources contain them. */
export interface Deployment {
  service: string
  stageName: string
  tableName: string
  functions: readonly DeclaredFunction[]
}

/** The framework's logical id of what belongs to a function. */
export const logicalId = (name: string, kind: 'LambdaFunction' | 'LogGroup' | 'Role') =>
  `${name.charAt(0).toUpperCase()}${name.slice(1)}${kind}`

/** The names of the functions, by what the operators watch in them. */
export function functionsBy(functions: readonly DeclaredFunction[]) {
  const namesOf = (some: readonly DeclaredFunction[]) => some.map(({ name }) => name)
  const endpoints = functions.filter(({ http }) => http.length > 0)
  const deletes = ({ http }: DeclaredFunction) => http.some(({ method }) => method.toLowerCase() === 'delete')
  const removingEndpoints = namesOf(endpoints.filter(deletes))
  const scheduled = namesOf(functions.filter(declared => !endpoints.includes(declared)))
  return {
    all: namesOf(functions),
    endpoints: namesOf(endpoints),
    removingEndpoints,
    scheduled,
    /** All that unlink users. */
    removing: [...removingEndpoints, ...scheduled],
  }
}

/** The dimensions of a metric, in order; a value is a text, or the logical id of a resource. */
export interface CloudWatchMetric {
  namespace: string
  name: string
  dimensions: Record<string, string | { Ref: string }>
}

/** A metric that a function logs. */
export const ofService = (metric: keyof typeof metrics, name: string, code?: string): CloudWatchMetric => ({
  namespace,
  name: metric,
  dimensions: { function: { Ref: logicalId(name, 'LambdaFunction') }, ...(code && { code }) },
})

/** A metric of Lambda about a function. */
export const ofLambda = (metric: 'Errors' | 'Throttles', name: string): CloudWatchMetric => ({
  namespace: 'AWS/Lambda',
  name: metric,
  dimensions: { FunctionName: { Ref: logicalId(name, 'LambdaFunction') } },
})

/** A metric of API Gateway about the stage. */
export const ofGateway =
  ({ service, stageName }: Deployment) =>
  (metric: '4XXError' | '5XXError' | 'Count' | 'Latency' | 'IntegrationLatency'): CloudWatchMetric => ({
    namespace: 'AWS/ApiGateway',
    name: metric,
    dimensions: { ApiName: `${stageName}-${service}`, Stage: stageName },
  })

/** The calls of the table that DynamoDB refuses; another stack may have made the table. */
export const refusalsOf = ({ tableName }: Deployment): CloudWatchMetric[] =>
  ['ReadThrottleEvents', 'WriteThrottleEvents'].map(name => ({
    namespace: 'AWS/DynamoDB',
    name,
    dimensions: { TableName: tableName },
  }))
