import { defineCommand, runCommand } from '../command-line/command.ts'
import { print } from '../command-line/output.ts'
import { onInterrupt } from '../command-line/signals.ts'
import { portNumber } from '../command-line/values.ts'
import { openIssuer } from '../local/issuer.ts'
import { localFolder } from '../project-root.ts'
import { serve } from '../sam/serve.ts'

export const command = defineCommand('npm run sam --', {
  purpose:
    "Serves both endpoints in SAM CLI's containers, with an embedded DynamoDB and sample data, until Ctrl-C.",
  example: 'npm run sam -- --port 3100',
})
  .option('--port <NUMBER>', 'The port of the endpoints.', portNumber(1), 3000)
  .option('--table-port <NUMBER>', 'The port of the embedded DynamoDB.', portNumber(1), 8000)
  .action(async ports => {
    const { trust: issuers } = await openIssuer(localFolder)
    const interruption = new AbortController()
    onInterrupt(() => interruption.abort())
    await serve({ ...ports, issuers, log: print }, interruption.signal)
    process.exit(0) // what handles interruptions would keep it running
  })

await runCommand(import.meta.filename, command)
