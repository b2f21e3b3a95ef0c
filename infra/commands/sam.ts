import { resolve } from 'node:path'
import { runCommand } from '../command-line/command.ts'
import { onInterrupt } from '../command-line/signals.ts'
import { readPort } from '../command-line/values.ts'
import { openIssuer } from '../local/issuer.ts'
import { localFolder, projectRoot } from '../project-root.ts'
import { serve } from '../sam/serve.ts'
import { writeSam } from '../sam/write.ts'

const log = (line: string) => void process.stdout.write(`${line}\n`)

await runCommand({
  name: 'npm run sam --',
  purpose:
    "Serves both endpoints in SAM CLI's containers, with an embedded DynamoDB, the sample data and a smoke test.",
  options: {
    'template-only': {
      type: 'boolean',
      description: "Only writes SAM's template and the code; needs neither SAM CLI nor Docker.",
    },
    folder: {
      type: 'string',
      value: 'PATH',
      description: 'The folder for template, code and the output of SAM CLI.',
      default: '.build/sam',
    },
    port: { type: 'string', value: 'NUMBER', description: 'The port of the endpoints.', default: '3000' },
    'table-port': {
      type: 'string',
      value: 'NUMBER',
      description: 'The port of the embedded DynamoDB.',
      default: '8000',
    },
  },
  example: 'npm run sam -- --port 3100',
  async run({ 'template-only': templateOnly, ...typed }) {
    const port = readPort('--port', typed.port, 1)
    const tablePort = readPort('--table-port', typed['table-port'], 1)
    const issuer = await openIssuer(localFolder)
    const place = { folder: resolve(projectRoot, typed.folder), tableName: 'saml-providers-sam', tablePort }
    if (templateOnly) {
      const { template } = await writeSam({ ...place, issuers: issuer.trust })
      log(`wrote ${template}`)
      return
    }
    const interruption = new AbortController()
    onInterrupt(() => interruption.abort())
    await serve({ ...place, port, issuer, log }, interruption.signal)
  },
})
