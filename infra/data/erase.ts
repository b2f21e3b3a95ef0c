import { userKey } from '../../lib/store/keys.ts'
import { print } from '../command-line/output.ts'
import { userId } from '../command-line/values.ts'
import { defineDataCommand } from './command.ts'
import { interruptible } from './interruptible.ts'
import { eraseUser } from './membership/unlink.ts'
import { withData } from './open-data.ts'

export const eraseCommand = defineDataCommand(
  'erase',
  "Deletes a user and the user's memberships of all active providers.",
  ' --user 5a3d1c9e-7b42-4f06-9d18-c0ffee000003',
)
  .requiredOption('--user <UUID>', 'The id of the user, in lower case.', userId)
  .option('--dry-run', 'Deletes nothing, and prints whether the user exists.')
  .action(({ table, user, dryRun = false }) =>
    interruptible(signal =>
      withData(table, signal, async data => {
        const isThere = dryRun
          ? (await data.table.get(userKey(user), signal)) !== undefined
          : (await eraseUser(data, user, signal)) === 'erased'
        if (!isThere) throw new Error(`There is no user ${user} in ${table}.`)
        print(`The user ${user} ${dryRun ? 'would be' : 'is'} erased.`)
      }),
    ),
  )
