import { buildFunctions } from '../build.ts'
import { runCommand } from '../command-line/command.ts'

await runCommand({
  name: 'npm run build --',
  purpose: 'Bundles each function into .build/functions/.',
  example: 'npm run build',
  async run() {
    process.stdout.write(`built .build/functions: ${(await buildFunctions()).join(', ')}\n`)
  },
})
