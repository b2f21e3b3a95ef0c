import { connectToAws } from '../../../infra/serverless/aws.ts'

export const place = { region: 'eu-central-1' }

/** An error as AWS answers it. */
export const refusal = (error: string, message = '') => Object.assign(new Error(message), { name: error })

/**
 * An AWS that gives each command its answers in order, the last one again and again; an Error refuses it.
 *
 * @returns the clients, and the commands that they received, with their inputs
 */
export function cannedAws(answers: Record<string, object[]>) {
  const received: string[] = []
  const inputs: Record<string, Record<string, unknown>> = {}
  const aws = connectToAws(place)
  const answer = (_: unknown, { commandName = '' }) => {
    const action = commandName.replace(/Command$/, '')
    return async ({ input }: { input: Record<string, unknown> }) => {
      received.push(action)
      inputs[action] = input
      const [output = new Error(`no ${action}`), ...later] = answers[action] ?? []
      if (later.length > 0) answers[action] = later
      if (output instanceof Error) throw output
      return { output: { $metadata: {}, ...output }, response: {} }
    }
  }
  const first = { step: 'initialize', priority: 'high' } as const
  const { place: _, ...clients } = aws
  for (const { middlewareStack } of Object.values(clients))
    (middlewareStack as typeof aws.s3.middlewareStack).add(answer as never, first)
  return { aws, received, inputs }
}

/** The stack of stage dev, what it contains, and AWS's answers about it. */
export const stackName = 'deprecated-saml-endpoints-dev'
export const stack = {
  id: 'arn:stack',
  name: stackName,
  status: 'CREATE_COMPLETE',
  isProtected: false,
  outputs: {},
}
export const noStack = refusal('ValidationError', `Stack with id ${stackName} does not exist`)
export const noTable = refusal('ResourceNotFoundException')
export const table = { LogicalResourceId: 'ProviderTable', PhysicalResourceId: 'providers' }
export const bucket = { LogicalResourceId: 'ServerlessDeploymentBucket', PhysicalResourceId: 'packages' }
export const stackIn = (StackStatus: string, more = {}) => ({
  Stacks: [{ StackId: 'arn:stack', StackStatus, ...more }],
})
export const resources = (...StackResourceSummaries: object[]) => ({ StackResourceSummaries })

/** The physical ids of a stage's API and schedule, and of a release, by logical id. */
export const apiAndSchedule = {
  ApiGatewayRestApi: 'api',
  ApiGatewayStage: 'dev',
  FinishRemovalsEventsRuleSchedule1: 'schedule',
}
export const partsOf = (release: string) => ({
  [`ApiGatewayDeployment${release}`]: `deployment-${release}`,
  [`FinishRemovalsLambdaFunctionVersion${release}`]: `version-${release}`,
})
export const resourcesWith = (physicalIds: Record<string, string>) =>
  resources(
    ...Object.entries(physicalIds).map(([LogicalResourceId, PhysicalResourceId]) => ({
      LogicalResourceId,
      PhysicalResourceId,
    })),
  )
/** The answers of an API and a schedule that call a release each. */
export const calling = (api: string, schedule = api) => ({
  GetStage: [{ deploymentId: `deployment-${api}` }],
  ListTargetsByRule: [{ Targets: [{ Id: 'run', Arn: `version-${schedule}`, Input: '{}' }] }],
})
