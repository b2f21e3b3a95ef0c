import type { CommandUnknownOpts } from '@commander-js/extra-typings'

/** An option of npm, too, which a person's .npmrc may set. */
const ofNpm = '--scope'

/** What a person types before the options of a command, such as `npm run data -- import`. */
export const lineOf = (command: CommandUnknownOpts): string =>
  command.parent === null ? command.name() : `${lineOf(command.parent)} ${command.name()}`

/**
 * Refuses to go on without options that npm has kept for itself, as it does with those that stand before its `--`.
 *
 * @param given the words that npm has passed on
 * @param env has the options that it has kept
 * @throws Error with the line that works
 */
export function refuseIfKeptByNpm(
  command: CommandUnknownOpts,
  given: string[],
  env: NodeJS.ProcessEnv,
): void {
  const called = command.commands.find(subcommand => given.includes(subcommand.name())) ?? command
  const kept = called.options.filter(({ long }) => {
    if (!long || long === ofNpm || given.includes(long)) return false
    return Boolean(env[`npm_config_${long.slice(2).replaceAll('-', '_')}`])
  })
  if (kept.length === 0) return
  const options = kept.map(({ flags }) => flags.replace(/^-\w, /, '').replaceAll(/[<>[\].]/g, ''))
  throw new Error(
    `npm keeps the options before its -- for itself. Write them behind it: \`${lineOf(called)} ${options.join(' ')}\`.`,
  )
}
