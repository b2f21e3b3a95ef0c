import { join } from 'node:path'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { systemClock } from '../../lib/time.ts'
import { importRecords } from '../data/import/import-records.ts'
import { dataOf } from '../data/open-data.ts'
import { findSources } from '../data/records/source.ts'

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
 * Imports the sample data. Existing records are not changed.
 *
 * @returns the numbers of providers and users written
 */
export async function importSampleData(client: DynamoDBDocumentClient, tableName: string) {
  const { report } = await importRecords(
    dataOf(client, tableName, systemClock),
    findSources([sampleDataFile]),
    {},
    () => {},
    new AbortController().signal,
  )
  const { providers, users } = report.counts
  return { providers: providers.written, users: users.written }
}
