import { DescribeTableCommand } from '@aws-sdk/client-dynamodb'
import { connectToAws, explainAws, type Place } from './aws.ts'
import { findResource, type Stack } from './stack.ts'

/** @returns the name of the table that the stack owns; undefined when it has none, as after a failed first deployment */
export const ownedTable = (place: Place, stack: Stack) => findResource(place, stack, 'ProviderTable')

/** @returns whether the account has a table of this name in this region */
export async function hasTable(place: Place, tableName: string): Promise<boolean> {
  const { dynamodb } = connectToAws(place)
  const asked = dynamodb.send(new DescribeTableCommand({ TableName: tableName })).then(() => true)
  return asked.catch((error: Error) =>
    error.name === 'ResourceNotFoundException' ? false : explainAws(place, 'DYNAMODB')(error),
  )
}
