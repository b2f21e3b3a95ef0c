import { eraseUser } from '../../lib/membership/erase.ts'
import { defineCommand } from '../command-line/command.ts'
import { interruptible } from './interruptible.ts'
import { tableOption, tableVariables, withData } from './open-data.ts'
import { isUserId } from '../../lib/domain/user-id.ts'

interface Options {
  table: string | undefined
  user: string
  isDryRun: boolean
}

const run = ({ table, user, isDryRun }: Options, signal: AbortSignal): Promise<void> =>
  withData(table, async ({ memberships }) => {
    if (!isUserId(user)) throw new Error('--user must be the id of a user: a UUID in lower case.')
    const isThere = isDryRun
      ? (await memberships.findLinks(user, signal)) !== undefined
      : (await eraseUser(memberships, user, signal)) === 'erased'
    if (!isThere) throw new Error(`There is no user ${user} in ${table}.`)
    process.stdout.write(`The user ${user} ${isDryRun ? 'would be' : 'is'} erased.\n`)
  })

export const eraseCommand = defineCommand({
  name: 'npm run --silent data -- erase',
  purpose: "Deletes a user and the user's memberships of all active providers.",
  options: {
    ...tableOption,
    user: { type: 'string', value: 'ID', description: 'The id of the user.' },
    'dry-run': { type: 'boolean', description: 'Deletes nothing, and prints whether the user exists.' },
  },
  variables: tableVariables,
  example:
    'npm run --silent data -- erase --table saml-providers-prod --user 5a3d1c9e-7b42-4f06-9d18-c0ffee000003',
  run: ({ table, user = '', 'dry-run': isDryRun = false }) =>
    interruptible(signal => run({ table, user, isDryRun }, signal)),
})
