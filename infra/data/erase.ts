import { addAbortSignal } from 'node:stream'
import { text } from 'node:stream/consumers'
import { Option } from '@commander-js/extra-typings'
import { isUserId } from '../../lib/domain/user-id.ts'
import { userIdOf, userKey } from '../../lib/store/keys.ts'
import { print } from '../command-line/output.ts'
import { userId } from '../command-line/values.ts'
import { defineDataCommand } from './command.ts'
import { openDisplay } from './display.ts'
import { inBatches } from './in-batches.ts'
import { interruptible } from './interruptible.ts'
import { memberships } from './membership/memberships.ts'
import { type Data, withData } from './open-data.ts'
import { findSources, type Source } from './records/source.ts'

const usersPerRead = 100
const linesNamed = 10

/**
 * Reads the ids of users, one a line; empty lines do not count.
 *
 * @param file its path; `-` is standard input
 * @throws Error of one sentence when there is no id, or that names the lines which are none; the signal's reason
 */
async function readUserIds(file: string, signal: AbortSignal): Promise<ReadonlySet<string>> {
  const [source] = findSources([file]) as [Source]
  const lines = (await text(addAbortSignal(signal, source.open()))).split('\n').map(line => line.trim())
  const malformed = lines.flatMap((line, index) => (line === '' || isUserId(line) ? [] : [index + 1]))
  const ids = new Set(lines.filter(line => line !== ''))
  if (ids.size === 0) throw new Error(`There is no id in ${source.name}.`)
  if (malformed.length === 0) return ids
  const others = malformed.length > linesNamed ? ` and ${malformed.length - linesNamed} others` : ''
  throw new Error(
    `Nothing was erased, because a line of ${source.name} is not a UUID in lower case: ${malformed.slice(0, linesNamed).join(', ')}${others}.`,
  )
}

/** Erases users, or only looks for them. @returns the ids of those who are not in the table */
async function erase(data: Data, ids: ReadonlySet<string>, dryRun: boolean, signal: AbortSignal) {
  const missing: string[] = []
  const users = memberships(data)
  const look = async (some: string[]) => {
    const found = new Set((await data.table.batchGet(some.map(userKey), signal)).map(userIdOf))
    missing.push(...some.filter(id => !found.has(id)))
  }
  const eraseOne = async ([id = '']: string[]) => {
    if ((await users.erase(id, signal)) !== 'erased') missing.push(id)
  }
  const { phase } = openDisplay()
  await inBatches(phase, 'users', [...ids], dryRun ? usersPerRead : 1, dryRun ? look : eraseOne)
  return missing.sort()
}

export const eraseCommand = defineDataCommand(
  'erase',
  'Deletes users and their memberships of all active providers. Exit code: 0 none of the users is in the table any more, 1 nothing was deleted because the user of --user is not there.',
  ' --user 5a3d1c9e-7b42-4f06-9d18-c0ffee000003',
)
  .option('--user <UUID>', 'The id of the user, in lower case. Required without --users.', userId)
  .addOption(
    new Option(
      '--users <FILE>',
      'A file of ids in lower case, one a line, or - for standard input. All lines are checked before a user is deleted.',
    ).conflicts('user'),
  )
  .option('--dry-run', 'Deletes nothing, and prints how many of the users exist.')
  .action(({ table, user, users: file, dryRun = false }) =>
    interruptible(async signal => {
      if (user === undefined && file === undefined)
        throw new Error('Say whom to erase, with --user or --users.')
      const ids = user === undefined ? await readUserIds(file as string, signal) : new Set([user])
      const missing = await withData(table, signal, data => erase(data, ids, dryRun, signal))
      const { say } = openDisplay()
      for (const id of missing) say(`There is no user ${id} in ${table}.`)
      const verb = dryRun ? 'would be erased' : 'erased'
      print(`users: ${ids.size - missing.length} ${verb}, ${missing.length} not there`)
      return user !== undefined && missing.length > 0 ? 1 : 0
    }),
  )
