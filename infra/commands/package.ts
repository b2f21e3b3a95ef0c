import { runCommand } from '../command-line/command.ts'
import { packageOptions, packageService } from '../serverless/package.ts'

await runCommand({
  name: 'npm run package --',
  purpose: 'Writes the CloudFormation package of a stage, offline.',
  options: packageOptions,
  example: `npm run package -- --stage prod --param 'issuers=[{"issuer":"https://issuer.example/","audience":"administration"}]'`,
  async run(values) {
    await packageService(values)
  },
})
