import { resolve } from 'node:path'
import { defineCommand, runCommand } from '../command-line/command.ts'
import { print } from '../command-line/output.ts'
import { onInterrupt } from '../command-line/signals.ts'
import { portNumber } from '../command-line/values.ts'
import { openIssuer } from '../local/issuer.ts'
import { localFolder, projectRoot } from '../project-root.ts'
import { serve } from '../sam/serve.ts'
import { writeSam } from '../sam/write.ts'

export const command = defineCommand('npm run sam --', {
  purpose:
    "Serves both endpoints in SAM CLI's containers, with an embedded DynamoDB, the sample data and a smoke test.",
  example: 'npm run sam -- --port 3100',
})
  .option('--template-only', "Only writes SAM's template and the code; needs neither SAM CLI nor Docker.")
  .option('--folder <PATH>', 'The folder for template, code and the output of SAM CLI.', '.build/sam')
  .option('--port <NUMBER>', 'The port of the endpoints.', portNumber(1), 3000)
  .option('--table-port <NUMBER>', 'The port of the embedded DynamoDB.', portNumber(1), 8000)
  .action(async ({ templateOnly, port, tablePort, ...typed }) => {
    const issuer = await openIssuer(localFolder)
    const folder = resolve(projectRoot, typed.folder)
    const place = { folder, tablePort }
    if (templateOnly) {
      const { template } = await writeSam({ ...place, issuers: issuer.trust })
      return print(`wrote ${template}`)
    }
    const interruption = new AbortController()
    onInterrupt(() => interruption.abort())
    await serve({ ...place, port, issuer, log: print }, interruption.signal)
  })

await runCommand(import.meta.filename, command)
