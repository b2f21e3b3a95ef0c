import { join } from 'node:path'
import { type DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb'
import { type Clock, systemClock } from '../../lib/time.ts'
import { sentencesOf } from '../data/import/faults.ts'
import { importFiles } from '../data/import/import-files.ts'
import { findMarker } from '../data/import/marker.ts'
import { dataOf } from '../data/open-data.ts'

/** The default caller of `npm run token`: has both scopes and signs in without a provider. */
export const administratorId = '5a3d1c9e-7b42-4f06-9d18-c0ffee000001'

/** Has both scopes and signs in through Microsoft Entra ID, so this user cannot remove that provider. */
export const linkedAdministratorId = '5a3d1c9e-7b42-4f06-9d18-c0ffee000002'

/** ben.billing */
export const disabledUserId = '31fb8cc6-dac2-8c13-a1b8-0839f1d03ae9'

/** The provider that the printed `curl` lines remove. */
export const oktaId = 1

/** @internal */
export const sampleDataFile = join(import.meta.dirname, 'sample-data.ndjson')

/**
 * Imports the sample data into an empty table, or goes on with their import, and leaves any other table as it is.
 *
 * @returns the numbers of providers and users; undefined for another table
 */
export async function importSampleData(
  client: DynamoDBDocumentClient,
  tableName: string,
  clock: Clock = systemClock,
) {
  const data = dataOf(client, tableName, clock)
  const first = { TableName: tableName, Limit: 1, ConsistentRead: true }
  const { Count } = await client.send(new ScanCommand(first))
  if (Count !== 0 && !(await findMarker(data, never))) return undefined
  const { faults, providers, users } = await importFiles(data, [sampleDataFile], never)
  if (faults.size > 0) throw new Error(sentencesOf(faults).join('\n'))
  return { providers: providers.length, users }
}

const never = new AbortController().signal
