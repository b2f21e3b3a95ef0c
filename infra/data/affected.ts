import { systemClock } from '../../lib/time.ts'
import { parseProviderId } from '../../lib/domain/provider.ts'
import type { User } from '../../lib/domain/resources.ts'
import { dataPieces } from '../../lib/http/envelope.ts'
import { affectedUsers } from '../../lib/removal/affected.ts'
import { isUnlinked } from '../../lib/removal/members.ts'
import { openClient } from '../../lib/store/client.ts'
import { findProvider } from '../../lib/store/providers.ts'
import { removalStore } from '../../lib/store/removals.ts'
import { openTable } from '../../lib/store/table.ts'
import { defineCommand } from '../command-line/command.ts'
import { dynamodbEndpoint, explainEngine } from '../dynamodb/endpoint.ts'
import { localAws } from '../dynamodb/client.ts'

/** Nobody waits for this command but who can end it. */
const never = new AbortController().signal

/**
 * What the DELETE answers, read from the table itself: for a list that is too large for Lambda to send.
 *
 * @param write takes the answer, piece by piece
 * @param progress takes a line for people, now and then
 * @throws Error of one sentence for whoever typed the command
 */
export async function affected(
  { table: tableName, provider }: { table: string | undefined; provider: string | undefined },
  write: (text: string) => void,
  progress: (line: string) => void,
): Promise<void> {
  if (tableName === undefined)
    throw new Error('--table is missing: the name of the table, which the deployment prints as TableName.')
  const providerId = parseProviderId(provider ?? '')
  if (providerId === undefined) throw new Error('--provider must be the id of a SAML provider, such as 7.')
  const endpoint = dynamodbEndpoint()
  const client = openClient(endpoint === undefined ? {} : { endpoint, ...localAws })
  const region = await client.config.region().catch(() => {
    throw new Error('Set AWS_REGION, or DYNAMODB_ENDPOINT for a local table.')
  })
  const place = endpoint === undefined ? `in ${region}` : `at ${endpoint}`
  const explain = (error: Error) => {
    if (error.name === 'ResourceNotFoundException')
      throw new Error(`There is no table ${tableName} ${place}.`)
    if (error.name === 'CredentialsProviderError')
      throw new Error('There are no AWS credentials in the environment.')
    return explainEngine(place)(error)
  }
  const table = openTable(client, tableName, systemClock)
  const store = removalStore(table)

  const found = await findProvider(table, providerId, never).catch(explain)
  if (found === undefined)
    throw new Error(`There is no provider ${providerId} in ${tableName}, or nothing is left of it.`)
  if (found.state === 'active') throw new Error(`Provider ${providerId} is active: nobody has removed it.`)
  const members = await store.members(providerId, never).catch(explain)
  if (found.state === 'removing') {
    const { removal } = found
    const unlinked = removal === undefined ? 0 : members.filter(member => isUnlinked(member, removal)).length
    progress(
      `The removal is unfinished, ${unlinked} of ${members.length} users are unlinked: the same DELETE goes on.`,
    )
  }

  const users = counted(affectedUsers(store, members, never), members.length, progress)
  const print = async () => {
    for await (const piece of dataPieces({ affected_user: users })) write(piece)
  }
  await print().catch(explain)
  write('\n')
  client.destroy()
}

async function* counted(pages: AsyncIterable<User[]>, total: number, progress: (line: string) => void) {
  let read = 0
  let told = 0
  for await (const page of pages) {
    yield page
    read += page.length
    if (read - told < 10_000 && read < total) continue
    told = read
    progress(`${read} of ${total} users`)
  }
}

export const affectedCommand = defineCommand({
  name: 'npm run --silent data -- affected',
  purpose: 'Prints the users affected by a removal, as the DELETE answers them, however many they are.',
  options: {
    table: {
      type: 'string',
      value: 'NAME',
      description: 'The table, as the deployment prints it: TableName.',
    },
    provider: { type: 'string', value: 'ID', description: 'The id of the SAML provider.' },
  },
  variables: {
    AWS_REGION: 'The region of the table; credentials are those of the environment.',
    DYNAMODB_ENDPOINT: 'The URL of a local DynamoDB instead.',
  },
  example: 'npm run --silent data -- affected --table saml-providers-prod --provider 7 > affected.json',
  run: ({ table, provider }) =>
    affected(
      { table, provider },
      text => process.stdout.write(text),
      line => process.stderr.write(`${line}\n`),
    ),
})
