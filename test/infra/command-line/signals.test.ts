import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { projectRoot } from '../../../infra/project-root.ts'

// test/infra/commands/start.test.ts and test/data/verify/command.test.ts send signals.

test("a command under npm stops when a signal ends npm's shell, which passes none on", async () => {
  const program = `
    import { onInterrupt } from './infra/command-line/signals.ts'
    onInterrupt(() => {
      console.log('stopped')
      process.exit()
    })
    setTimeout(() => {}, 30_000) // ends it when nothing else does
    console.log('running')
  `
  const shell = spawn('sh', ['-c', '"$0" --input-type=module -e "$1"; exit', process.execPath, program], {
    cwd: projectRoot,
    env: { npm_lifecycle_event: 'start' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines: string[] = []
  for await (const line of createInterface(shell.stdout)) {
    lines.push(line)
    shell.kill('SIGTERM') // as npm passes it on
  }
  expect(lines).toEqual(['running', 'stopped'])
})
