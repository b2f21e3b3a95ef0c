import { FakeStack, type Account } from './fake-stack.ts'

type Answer = [status: number, body: string]

const member = (inner: string) => `<member>${inner}</member>`
const element = (name: string, text: string) => `<${name}>${text}</${name}>`

/** A refusal of the query protocol. */
export const refusal = (status: number, code: string, message: string): Answer => [
  status,
  `<ErrorResponse><Error><Code>${code}</Code><Message>${message}</Message></Error></ErrorResponse>`,
]
const invalid = (message: string) => refusal(400, 'ValidationError', message)

/** A successful answer of the query protocol. */
export const result = (action: string, inner: string) =>
  `<${action}Response><${action}Result>${inner}</${action}Result></${action}Response>`

/** A fake of the CloudFormation calls of a deployment and its removal; it answers an unknown call with undefined. */
export function fakeCloudFormation(account: Account) {
  const stacks = new Map<string, FakeStack>()
  let pending = ''
  let failure: string | undefined

  return {
    stacks,
    async answer(action: string, form: URLSearchParams): Promise<Answer | undefined> {
      const stackName = form.get('StackName') ?? ''
      const stack = [...stacks.values()].findLast(
        ({ id, name, status }) => id === stackName || (name === stackName && status !== 'DELETE_COMPLETE'),
      )
      const done = (inner = ''): Answer => [200, result(action, inner)]
      if (action === 'ValidateTemplate' || action === 'DeleteChangeSet') return done()
      if (action === 'CreateChangeSet') {
        const created = stack ?? new FakeStack(stackName, account)
        stacks.set(created.id, created)
        pending = form.get('TemplateBody') ?? uploaded(form.get('TemplateURL') ?? '')
        return done(element('Id', 'change') + element('StackId', created.id))
      }
      if (stack === undefined) return invalid(`Stack with id ${stackName} does not exist`)
      switch (action) {
        case 'DescribeChangeSet':
          return done(element('StackId', stack.id) + element('Status', 'CREATE_COMPLETE'))
        case 'ExecuteChangeSet':
          failure = await stack.execute(JSON.parse(pending))
          return done()
        case 'DeleteStack':
          failure = stack.delete()
          return done()
        case 'DescribeStacks':
          return done(element('Stacks', member(described(stack))))
        case 'DescribeStackEvents':
          return done(element('StackEvents', events(stack)))
        case 'DescribeStackResource': {
          const found = stack.resources.get(form.get('LogicalResourceId') ?? '')
          if (found === undefined) return invalid('Resource does not exist for stack')
          return done(element('StackResourceDetail', element('PhysicalResourceId', found.physicalId)))
        }
        case 'ListStackResources':
          return done(element('StackResourceSummaries', [...stack.resources].map(summary).join('')))
        default:
          return undefined
      }
    },
  }

  /** The template at a URL of the form https://s3.amazonaws.com/BUCKET/KEY. */
  function uploaded(url: string): string {
    const [, , ...key] = decodeURIComponent(new URL(url).pathname).split('/')
    return account.objects.get(key.join('/'))?.body ?? ''
  }

  function described({ id, name, status, outputs }: FakeStack): string {
    const listed = Object.entries(outputs).map(([key, value]) =>
      member(element('OutputKey', key) + element('OutputValue', value)),
    )
    return (
      element('StackId', id) +
      element('StackName', name) +
      element('StackStatus', status) +
      (failure === undefined ? '' : element('StackStatusReason', failure)) +
      element('Outputs', listed.join(''))
    )
  }

  /** The events, newest first. */
  function events({ id, name, status }: FakeStack): string {
    const [kind = ''] = status.split('_')
    const event = (state: string, reason = '') =>
      member(
        element('StackId', id) +
          element('EventId', `${account.objects.size}${state}`) +
          element('StackName', name) +
          element('LogicalResourceId', name) +
          element('ResourceType', 'AWS::CloudFormation::Stack') +
          element('ResourceStatus', state) +
          element('ResourceStatusReason', reason),
      )
    const failed = failure === undefined ? '' : event('UPDATE_FAILED', failure)
    return event(status) + failed + event(`${kind}_IN_PROGRESS`)
  }
}

const summary = ([id, { type, physicalId }]: [string, { type: string; physicalId: string }]) =>
  member(
    element('LogicalResourceId', id) +
      element('PhysicalResourceId', physicalId) +
      element('ResourceType', type) +
      element('ResourceStatus', 'CREATE_COMPLETE'),
  )
