import { globSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { expect, test } from 'vitest'
import { command as data } from '../../../infra/commands/data.ts'
import { projectRoot } from '../../../infra/project-root.ts'
import { refusalOf } from './refusal-of.ts'

const documents = globSync(['*.md', '{.github,infra,lib,test}/**/*.md'], { cwd: projectRoot })

const manifest = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'))
const programs = Object.entries(manifest.scripts).flatMap(([script, line]) => {
  const [, program] = /infra\/check-node\.cjs (infra\/\S+\.ts)$/.exec(String(line)) ?? []
  return program === undefined ? [] : [[script, program] as const]
})

test('each command of infra/commands has an npm script', () => {
  const files = readdirSync(join(projectRoot, 'infra/commands')).map(file => `infra/commands/${file}`)
  expect(programs.map(([, program]) => program).sort()).toEqual(files.sort())
})

test.each(programs)('npm run %s explains itself with --help', async (script, program) => {
  const { command } = await import(join(projectRoot, program))
  const help = await refusalOf(command, '--help')
  expect(help).toMatch(/^Usage: npm (run )?[^\n]+\n\n[A-Z][^.:]+[.:]/)
  expect(help).toContain(`npm ${script === 'start' ? 'start' : 'run'}`)
  expect(help).toMatch(/--help[\s\S]*\nExample:\n {2}npm /)
})

test('npm run data lists what each subcommand needs', async () => {
  const list = await refusalOf(data)
  const needs =
    /\n {2}--table <NAME> +Required: [\s\S]*\n {2}AWS_REGION .*\brights\b[\s\S]*\n {2}npm run .* --table /
  for (const subcommand of data.commands) {
    expect(list).toMatch(new RegExp(`\\n {2}${subcommand.name()} `))
    const help = await refusalOf(data, subcommand.name(), '--help')
    expect(help).toMatch(needs)
    for (const { flags, description } of subcommand.options) expect(description, flags).toMatch(/\.$/)
  }
})

test.each(programs)('npm run %s has the options that the documents name', async (script, program) => {
  const { command } = await import(join(projectRoot, program))
  // infra/alarms.md writes `data COMMAND` for short.
  const call = new RegExp(`(?:npm (?:run )?(?:--silent )?${script} -- |\`${script} )([^|<>;)\`\n]*)`, 'g')
  const text = documents.map(file => readFileSync(join(projectRoot, file), 'utf8')).join('\n')
  const calls = [...text.replaceAll('\\\n', '').matchAll(call)].map(([, rest = '']) => rest)
  /** The options of the subcommand that is named, or of all. */
  const optionsOf = (rest: string) => {
    const subcommands: CommandUnknownOpts[] = command.commands
    const named = subcommands.find(subcommand => rest.startsWith(`${subcommand.name()} `))
    const called: CommandUnknownOpts[] = named === undefined ? [command, ...subcommands] : [named]
    return called.flatMap(({ options }) => options.flatMap(({ short, long }) => [short, long]))
  }
  const wrong = calls.filter(rest => {
    const known = [...optionsOf(rest), '--help']
    return (rest.match(/(?<!\S)--?[a-z][\w-]*/g) ?? []).some(option => !known.includes(option))
  })
  expect(wrong).toEqual([])
})
