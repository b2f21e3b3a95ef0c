import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { projectRoot } from '../infra/project-root.ts'
import { temporaryFolder } from './support/machine.ts'

const folders = ['.github', 'functions', 'infra', 'lib', 'test']
const pages = [
  'README.md',
  ...folders.flatMap(folder =>
    readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' })
      .filter(name => name.endsWith('.md'))
      .map(name => `${folder}/${name}`),
  ),
]

interface Block {
  place: string
  language: string
  code: string
}

/** The blocks of all pages, with the page and the line. */
const blocks = pages.flatMap(page => {
  const content = readFileSync(join(projectRoot, page), 'utf8')
  return [...content.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)].map(
    ({ index, 1: language, 2: code }): Block => {
      const line = content.slice(0, index).split('\n').length
      return { place: `${page}:${line}`, language: `${language}`, code: `${code}` }
    },
  )
})
const pasted = blocks.filter(({ language }) => language === 'bash')

/** Writes down its name and its arguments, and prints two words, as `aws --output text` prints a list. */
const standIn = `#!/bin/sh
call=\${0##*/} separator=$(printf '\\037')
for one; do call=$call$separator$one; done
printf '%s\\n' "$(printf '%s' "$call" | tr '\\n' ' ')" >> "$CALLS"
printf 'first\\tsecond\\n'
`
const programs = [
  ...['aws', 'curl', 'jq', 'localstack', 'npm', 'npx', 'psql'].map(name => `bin/${name}`),
  'node_modules/.bin/node',
]

const shells = { bash: ['--norc', '--noprofile', '-i'], zsh: ['-f', '-i'] }

/** The variables that a page tells its reader to set. */
const expected = { TOKEN_URL: 'https://issuer.example/token', SCOPE: 'saml-providers:read' }

/** Pastes lines into a new shell that knows no program but stand-ins. @returns their calls, and what the shell says */
async function paste(shell: keyof typeof shells, lines: string) {
  const folder = temporaryFolder()
  const calls = join(folder, 'calls')
  for (const name of ['bin', 'node_modules/.bin', '.serverless'])
    mkdirSync(join(folder, name), { recursive: true })
  // Copies, because a block may write.
  for (const name of ['infra/deployer', 'infra/stages'])
    cpSync(join(projectRoot, name), join(folder, name), { recursive: true })
  for (const program of programs) {
    writeFileSync(join(folder, program), standIn)
    chmodSync(join(folder, program), 0o755)
  }
  const env = {
    ...expected,
    CALLS: calls,
    HOME: folder,
    PATH: `${folder}/bin:/usr/bin:/bin`,
    PS1: '',
    TERM: 'dumb',
  }
  // In a session of its own, so that it does not take the terminal of the tests.
  const child = spawn(shell, shells[shell], { cwd: folder, env, detached: true })
  child.stdin.end(lines)
  const [said] = await Promise.all([text(child.stderr), text(child.stdout)])
  const made = existsSync(calls) ? readFileSync(calls, 'utf8').trimEnd().split('\n') : []
  return { said, calls: made.sort().map(call => call.split('\x1f')) } // those of a pipe begin at once
}

/** How a shell says that it does not take a line. */
const complaint = /^.*(not found|no matches|parse error|syntax error|attempt to|bad ).*$/gm

const shellsHere = (Object.keys(shells) as (keyof typeof shells)[]).filter(shell => {
  const isHere = spawnSync(shell, ['--version']).error === undefined
  if (!isHere) process.stdout.write(`The pages' blocks are not run in ${shell}, which is missing.\n`)
  return isHere
})

test('each block has its language', () => {
  expect(blocks.filter(({ language }) => language === '').map(({ place }) => place)).toEqual([])
  expect(pasted.length).toBeGreaterThan(20)
})

test.skipIf(shellsHere.length === 0).each(pasted)('the block $place can be pasted', async ({ code }) => {
  const runs = await Promise.all(shellsHere.map(shell => paste(shell, code)))
  for (const { said, calls } of runs) {
    expect(said.match(complaint) ?? []).toEqual([])
    expect(calls.length).toBeGreaterThan(0)
    expect(calls.flat().filter(word => word === '' || word.startsWith('#'))).toEqual([])
    expect(calls, 'each shell gives them the same').toEqual(runs[0]?.calls)
  }
})

describe.each(shellsHere)('pasted into %s', shell => {
  test.each([
    ['stops', 'put-function-concurrency', ['--reserved-concurrent-executions', '0']],
    ['starts', 'delete-function-concurrency', []],
  ])('a block %s each function by %s', async (_, command, options) => {
    const found = pasted.find(({ code }) => code.includes(` ${command} `))
    const { calls } = await paste(shell, `${found?.code}`)
    const common = ['aws', 'lambda', command, '--region', 'eu-central-1', ...options, '--function-name']
    const changed = calls.filter(([, service]) => service === 'lambda')
    expect(changed).toEqual([
      [...common, 'first'],
      [...common, 'second'],
    ])
  })
})
