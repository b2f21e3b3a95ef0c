import { join } from 'node:path'
import { defineCommand, runCommand } from '../command-line/command.ts'
import { print } from '../command-line/output.ts'
import { packMemberships } from '../data/membership/pack.ts'
import { projectRoot } from '../project-root.ts'

export const command = defineCommand('npm run pack-memberships', {
  purpose: 'Makes the npm package of the library for other writers of the table, and prints its path.',
  example: 'npm run --silent pack-memberships',
}).action(async () => print(await packMemberships(join(projectRoot, '.build/memberships'))))

await runCommand(import.meta.filename, command)
