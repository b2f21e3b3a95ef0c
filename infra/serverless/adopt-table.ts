import { isDeepStrictEqual } from 'node:util'
import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  UpdateContinuousBackupsCommand,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb'
import type { Aws } from './aws.ts'
import type { Template } from './template.ts'

/**
 * Prepares a table that exists for its import into a stack, which takes it as it is: a table that was restored from a
 * backup lacks deletion protection, point-in-time recovery and TTL.
 *
 * @param template of the deployment, with the wanted properties of the table
 * @returns the settings that were switched on
 * @throws Error of one sentence when the table is not one of this service, or not ready
 */
export async function prepareTable({ dynamodb }: Aws, template: Template): Promise<string[]> {
  const { TableName, KeySchema, TimeToLiveSpecification } = template.Resources.ProviderTable.Properties
  const table = { TableName }
  const { Table = {} } = await dynamodb.send(new DescribeTableCommand(table))
  if (!isDeepStrictEqual(Table.KeySchema, KeySchema))
    throw new Error(
      `The table ${TableName} has other keys than PK and SK: it does not belong to this service; choose another with --param tableName=NAME.`,
    )
  if (Table.TableStatus !== 'ACTIVE')
    throw new Error(
      `The table ${TableName} is not ready (${Table.TableStatus}): deploy again when it is ACTIVE.`,
    )
  const done: string[] = []
  const { TimeToLiveDescription: ttl } = await dynamodb.send(new DescribeTimeToLiveCommand(table))
  if (ttl?.TimeToLiveStatus !== 'ENABLED') {
    await dynamodb.send(new UpdateTimeToLiveCommand({ ...table, TimeToLiveSpecification }))
    done.push('TTL')
  }
  const { ContinuousBackupsDescription: backups } = await dynamodb.send(
    new DescribeContinuousBackupsCommand(table),
  )
  if (backups?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus !== 'ENABLED') {
    const PointInTimeRecoverySpecification = { PointInTimeRecoveryEnabled: true }
    await dynamodb.send(new UpdateContinuousBackupsCommand({ ...table, PointInTimeRecoverySpecification }))
    done.push('point-in-time recovery')
  }
  if (Table.DeletionProtectionEnabled !== true) {
    await dynamodb.send(new UpdateTableCommand({ ...table, DeletionProtectionEnabled: true }))
    done.push('deletion protection')
  }
  return done
}
