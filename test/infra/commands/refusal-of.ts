import { CommanderError, type CommandUnknownOpts } from '@commander-js/extra-typings'

/** Gives a command these arguments in this process. @returns what it prints when it does not run, or its error's sentence */
export async function refusalOf(command: CommandUnknownOpts, ...given: string[]): Promise<string> {
  let printed = ''
  const write = (text: string) => {
    printed += text
  }
  for (const one of [command, ...command.commands]) one.configureOutput({ writeOut: write, writeErr: write })
  const error = await command.parseAsync(given, { from: 'user' }).then(
    () => new Error('It was not refused.'),
    (thrown: Error) => thrown,
  )
  return error instanceof CommanderError ? printed : error.message
}
