import { addAbortSignal } from 'node:stream'
import { text } from 'node:stream/consumers'
import { Option } from '@commander-js/extra-typings'
import { isUserId } from '../../lib/domain/user-id.ts'
import { userIdOf, userKey } from '../../lib/store/keys.ts'
import { userId, wholeNumber } from '../command-line/values.ts'
import { defineDataCommand, interruptible } from './command.ts'
import { eraseUsers } from './membership/change-users.ts'
import { type Data, withData } from './open-data.ts'
import { inBatches, print, say } from './progress.ts'
import { findSources, type Source } from './records/source.ts'
import { scanUsers } from './table/scan.ts'

const usersPerRead = 100
/** As many may be erased in a day, in a table of any size. */
const usuallyMax = 10

interface Whom {
  user: string | undefined
  /** The path of a file with an id in each line, in which empty lines do not count; `-` is standard input. */
  file: string | undefined
}

/** @throws Error of one sentence, which names the first line that is no id; the signal's reason */
async function idsOf({ user, file }: Whom, signal: AbortSignal): Promise<ReadonlySet<string>> {
  if (user !== undefined) return new Set([user])
  if (file === undefined) throw new Error('Say whom to erase, with --user or --users.')
  const [source] = findSources([file]) as [Source]
  const lines = (await text(addAbortSignal(signal, source.open()))).split('\n').map(line => line.trim())
  const malformed = lines.findIndex(line => line !== '' && !isUserId(line))
  if (malformed < 0) return new Set(lines.filter(line => line !== ''))
  throw new Error(
    `Nothing was erased, because line ${malformed + 1} of ${source.name} is not a UUID in lower case.`,
  )
}

/** @returns the ids of those who are in the table */
async function existing(data: Data, ids: ReadonlySet<string>, signal: AbortSignal): Promise<string[]> {
  const found: string[] = []
  await inBatches(data.phase, 'users read', [...ids], usersPerRead, async some => {
    found.push(...(await data.table.batchGet(some.map(userKey), signal)).map(userIdOf))
  })
  return found
}

/**
 * A list that a cut-off file has made is longer than that of any day.
 *
 * @param max the most users that may be erased; undefined: ten, or a tenth of all
 * @throws Error of one sentence
 */
async function assertFew(data: Data, users: number, max: number | undefined, signal: AbortSignal) {
  if (users <= (max ?? usuallyMax)) return
  if (max === undefined && users <= (await countUsers(data, signal)) / 10) return
  const limit = max === undefined ? 'ten and a tenth of all users' : `--max ${max}`
  throw new Error(
    `Nothing was erased: the list has ${users} users who are in the table, more than ${limit}. If they are right, say --max ${users}.`,
  )
}

async function countUsers(data: Data, signal: AbortSignal): Promise<number> {
  let all = 0
  const count = ({ length }: unknown[]) => {
    all += length
  }
  await scanUsers(data, count, signal)
  return all
}

/** Erases users, or only looks for them. @returns the ids of those who were not in the table */
async function erase(
  data: Data,
  ids: ReadonlySet<string>,
  { dryRun, max }: { dryRun: boolean; max: number | undefined },
  signal: AbortSignal,
): Promise<string[]> {
  const found = new Set(await existing(data, ids, signal))
  await assertFew(data, found.size, max, signal)
  const missing = [...ids].filter(id => !found.has(id))
  if (dryRun) return missing.sort()
  const gone = await data.phase('users', found.size, advance => eraseUsers(data, [...found], signal, advance))
  return [...missing, ...gone].sort()
}

export const eraseCommand = defineDataCommand(
  'erase',
  'Deletes users, and their memberships of the active and importing providers to which they are linked. Exit code: 0 none of the users is in the table any more, 1 nothing was deleted because the user of --user is not there.',
  ' --user 5a3d1c9e-7b42-4f06-9d18-c0ffee000003',
)
  .option('--user <UUID>', 'The id of the user, in lower case. Required without --users.', userId)
  .addOption(
    new Option(
      '--users <FILE>',
      'A file of ids in lower case, one a line, or - for standard input; an empty one erases nobody. All lines are checked before a user is deleted.',
    ).conflicts('user'),
  )
  .option(
    '--max <NUMBER>',
    'The most users to erase; if there are more in the list and the table, nothing is deleted. Default: ten, or a tenth of all users.',
    wholeNumber(0, 999_999_999),
  )
  .option('--dry-run', 'Deletes nothing, and prints how many of the users exist.')
  .action(({ table, user, users: file, dryRun = false, max }) =>
    interruptible(async signal => {
      const ids = await idsOf({ user, file }, signal)
      const missing = await withData(table, signal, data => erase(data, ids, { dryRun, max }, signal))
      for (const id of missing) say(`There is no user ${id} in ${table}.`)
      const verb = dryRun ? 'would be erased' : 'erased'
      print(`users: ${ids.size - missing.length} ${verb}, ${missing.length} not there`)
      return user !== undefined && missing.length > 0 ? 1 : 0
    }),
  )
