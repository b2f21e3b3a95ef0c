import type { Command, Option } from './command.ts'

/** The text of `--help`: purpose, usage, options with defaults, environment variables, example. */
export function helpOf({ name, purpose, options = {}, positionals, variables, example }: Command): string {
  const help: Option = { type: 'boolean', description: 'Prints this help.' }
  const optionRows = Object.entries({ ...options, help }).map(([option, about]) => [
    `${about.short === undefined ? '    ' : `-${about.short}, `}--${option}${about.type === 'string' ? ` ${about.value ?? 'TEXT'}` : ''}`,
    `${about.description}${about.multiple ? ' May be repeated.' : ''}${about.default === undefined ? '' : ` Default: ${about.default}.`}`,
  ])
  return [
    purpose,
    `Usage: ${[name, positionals, '[OPTION…]'].filter(part => part !== undefined).join(' ')}`,
    `Options:\n${table(optionRows)}`,
    ...(variables === undefined ? [] : [`Environment variables:\n${table(Object.entries(variables))}`]),
    `Example:\n  ${example}\n`,
  ].join('\n\n')
}

function table(rows: string[][]): string {
  const width = Math.max(...rows.map(([term = '']) => term.length))
  return rows.map(([term = '', text]) => `  ${term.padEnd(width)}  ${text}`).join('\n')
}
