import { buildFunctions } from '../build.ts'
import { defineCommand, runCommand } from '../command-line/command.ts'

await runCommand(
  defineCommand('npm run build --', {
    purpose: 'Bundles each function into .build/functions/.',
    example: 'npm run build',
  }).action(async () => {
    process.stdout.write(`built .build/functions: ${(await buildFunctions()).join(', ')}\n`)
  }),
)
