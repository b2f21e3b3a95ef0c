import { describe, expect, test } from 'vitest'
import { removeStack, undeploy } from '../../../infra/serverless/undeploy.ts'
import {
  bucket,
  cannedAws,
  noStack,
  noTable,
  refusal,
  resources,
  stack,
  stackIn,
  stackName,
  table,
} from './canned-aws.ts'

const logs = { LogicalResourceId: 'ListLogGroup', PhysicalResourceId: '/aws/lambda/list' }

const logsLeft = { DescribeLogGroups: [{ logGroups: [{ logGroupName: '/aws/lambda/list' }] }] }

/** A deployed stack whose packages are in this bucket. */
const deployedFrom = (name: string, state = 'CREATE_COMPLETE') =>
  stackIn(state, {
    Outputs: [{ OutputKey: 'ServerlessDeploymentBucketName', OutputValue: name }],
  })

describe('a removal', () => {
  const answers = () => ({
    DescribeStacks: [deployedFrom('packages'), stackIn('DELETE_IN_PROGRESS'), stackIn('DELETE_COMPLETE')],
    ListStackResources: [resources(table, bucket, logs)],
    ListObjectVersions: [
      {
        Versions: [{ Key: 'code.zip', VersionId: '2' }],
        DeleteMarkers: [{ Key: 'old.zip', VersionId: '1' }],
      },
      {},
    ],
    DeleteObjects: [{}],
    DeleteStack: [{}],
    DescribeTable: [{ Table: {} }],
    DescribeLogGroups: [{ logGroups: [{ logGroupName: '/aws/lambda/list-others' }] }],
    DeleteLogGroup: [{}],
    HeadBucket: [refusal('NotFound')],
  })
  const removed = async (changes: Record<string, object[]> = {}, deleteLogs = false, typed = 'dev') => {
    const { aws, received, inputs } = cannedAws({ ...answers(), ...changes })
    const lines: string[] = []
    const ask = async (question: string) => {
      lines.push(question)
      return typed
    }
    const log = (line: string) => lines.push(line)
    const fault = await undeploy(aws, 'dev', { log, ask, deleteLogs }).catch((error: Error) => error.message)
    return { lines, fault, received, inputs }
  }

  test('empties the bucket, deletes the stack, waits for its end, and names the table that stays', async () => {
    const { lines, received, inputs } = await removed()
    expect(lines).toEqual([
      `Remove the stack ${stackName} in eu-central-1? Type the name of the stage to confirm: `,
      `Removing the stack ${stackName} in eu-central-1 …`,
      'Stage dev is removed. Its table providers stays with its data.',
      'To deploy the stage with that table again, add --adopt-table to npm run deploy.',
      [
        'To delete what stays:',
        '',
        'aws dynamodb update-table --no-deletion-protection-enabled --region eu-central-1 --table-name providers',
        'aws dynamodb delete-table --region eu-central-1 --table-name providers',
      ].join('\n'),
    ])
    const Objects = [
      { Key: 'code.zip', VersionId: '2' },
      { Key: 'old.zip', VersionId: '1' },
    ]
    expect(inputs.DeleteObjects).toMatchObject({ Bucket: 'packages', Delete: { Objects } })
    const steps = received.filter(action => !/^(List|Describe|Head)/.test(action))
    expect(steps).toEqual(['DeleteObjects', 'DeleteStack'])
  })

  test('does nothing unless the name of the stage is typed', async () => {
    const { fault, received } = await removed({}, false, 'prod')
    expect(fault).toBe('Nothing is removed: that is not the name of the stage, dev.')
    expect(received).toEqual(['DescribeStacks'])
  })

  test.each([{}, refusal('Forbidden')])(
    'keeps a bucket of others, and names its packages: %o',
    async head => {
      const { lines, received } = await removed({
        HeadBucket: [head],
        DescribeStacks: [deployedFrom('others'), stackIn('DELETE_COMPLETE')],
        ListStackResources: [resources()],
      })
      const packages = 's3://others/serverless/deprecated-saml-endpoints/dev/'
      expect(lines.slice(-2)).toEqual([
        `The packages in ${packages} stay.`,
        `To delete what stays:\n\naws s3 rm --region eu-central-1 --recursive ${packages}`,
      ])
      expect(received).not.toContain('DeleteObjects')
    },
  )

  test('says that no table is left', async () => {
    const { lines } = await removed({ DescribeTable: [noTable] })
    expect(lines.at(-1)).toBe('Stage dev is removed. It has no table.')
    const without = await removed({ ListStackResources: [resources(bucket)] })
    expect(without.lines.at(-1)).toBe('Stage dev is removed. It has no table.')
  })

  describe('that keeps logs', () => {
    const kept = { DescribeTable: [noTable], ...logsLeft }

    test('names them, and the commands that delete them', async () => {
      const { lines, received } = await removed(kept)
      expect(lines.slice(-2)).toEqual([
        'The logs /aws/lambda/list stay.',
        'To delete what stays:\n\naws logs delete-log-group --region eu-central-1 --log-group-name /aws/lambda/list',
      ])
      expect(received).not.toContain('DeleteLogGroup')
    })

    test('deletes them when it is told so', async () => {
      const { lines, inputs } = await removed(kept, true)
      expect(inputs.DeleteLogGroup).toEqual({ logGroupName: '/aws/lambda/list' })
      expect(lines.at(-1)).toBe('Stage dev is removed. It has no table.')
    })
  })

  test('of a stage that is not deployed is refused', async () => {
    const { fault } = await removed({ DescribeStacks: [noStack], ListStacks: [{}] })
    expect(fault).toBe(
      `Stage dev is not deployed in eu-central-1 (there is no stack ${stackName}): check --stage, --region and the account.`,
    )
  })

  test.each([
    [
      { EnableTerminationProtection: true },
      'CREATE_COMPLETE',
      `Nothing is removed, because the stack ${stackName} has termination protection: end it with aws cloudformation update-termination-protection --no-enable-termination-protection --region eu-central-1 --stack-name ${stackName}, then run the command again.`,
    ],
    [
      {},
      'UPDATE_IN_PROGRESS',
      'Stage dev is being changed (UPDATE_IN_PROGRESS): wait until that ends, then run the command again.',
    ],
  ])('of a stack with %j in the state %s is refused before anything is deleted', async (more, state, why) => {
    const { fault, received } = await removed({ DescribeStacks: [stackIn(state, more)] })
    expect({ fault, received }).toEqual({ fault: why, received: ['DescribeStacks'] })
  })

  describe('after one that was interrupted', () => {
    test('waits for the end when AWS is still deleting the stack', async () => {
      const states = ['DELETE_IN_PROGRESS', 'DELETE_IN_PROGRESS', 'DELETE_COMPLETE']
      const { lines, received } = await removed({ DescribeStacks: states.map(state => stackIn(state)) })
      expect(received.filter(action => action === 'DescribeStacks')).toHaveLength(3)
      expect(received.filter(action => action.startsWith('Delete'))).toEqual([])
      expect(lines).toContain('Stage dev is removed. Its table providers stays with its data.')
    })

    test('does the rest when the stack is deleted: the last one of its name', async () => {
      const deleted = (StackId: string, day: number, StackName = stackName) => ({
        ...{ StackId, StackName },
        DeletionTime: new Date(2026, 10, day),
      })
      const changes = {
        ...logsLeft,
        ListStackResources: [resources(table, logs)],
        DescribeStacks: [noStack, deployedFrom('packages', 'DELETE_COMPLETE')],
        ListStacks: [{ StackSummaries: [deleted('first', 1), deleted('last', 2), deleted('x', 3, 'other')] }],
      }
      const { lines, received, inputs } = await removed(changes, true)
      expect(inputs.DescribeStacks).toEqual({ StackName: 'last' })
      expect(inputs.ListStackResources).toMatchObject({ StackName: 'arn:stack' })
      expect(received.filter(action => action.startsWith('Delete'))).toEqual(['DeleteLogGroup'])
      expect(lines.slice(1, -1)).toEqual([
        'Stage dev is removed. Its table providers stays with its data.',
        'To deploy the stage with that table again, add --adopt-table to npm run deploy.',
      ])
    })
  })

  test('does not delete the stack when its bucket cannot be emptied', async () => {
    const { fault, received } = await removed({ DeleteObjects: [{ Errors: [{ Message: 'locked' }] }] })
    expect(fault).toBe('The bucket packages cannot be emptied: locked')
    expect(received).not.toContain('DeleteStack')
  })

  test.each([
    [{ StackStatusReason: 'The role is in use.' }, 'DELETE_FAILED', 'The role is in use.'],
    [{}, 'DELETE_FAILED', 'AWS gives no reason'],
    [{}, 'DELETE_IN_PROGRESS', 'AWS has not finished within 2 s; run the command again to wait longer.'],
  ])('that ends with %j and the state %s is reported', async (more, status, reason) => {
    const { aws } = cannedAws({ ...answers(), DescribeStacks: [stackIn(status, more)] })
    await expect(removeStack(aws, stack, 'packages', 2)).rejects.toThrow(
      `The stack ${stackName} is not removed (${status}): ${reason}`,
    )
  })
})
