import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { captured } from '../../support/machine.ts'

/** Gives a command these arguments in this process. @returns what it prints */
export async function refusalOf(command: CommandUnknownOpts, ...given: string[]): Promise<string> {
  const { stdout, stderr } = await captured(() => command.parseAsync(given, { from: 'user' }))
  return stdout + stderr
}
