import { runCommand } from '../command-line/command.ts'
import { print } from '../command-line/output.ts'
import { definePackageCommand } from '../serverless/options.ts'
import { packageService } from '../serverless/package.ts'
import { withStageFile } from '../serverless/stage-file.ts'

export const command = definePackageCommand('npm run package --', {
  purpose: 'Writes the CloudFormation package of a stage, offline.',
  example: `npm run package -- --stage prod --param 'issuers=[{"issuer":"https://issuer.example/","audience":"administration"}]'`,
}).action(async typed => {
  const values = withStageFile(typed)
  const { codeBytes } = await packageService(values)
  print(
    `The package is in ${values.package}: the template, and ${Math.round(codeBytes / 1000)} KB of code.\nNext: npm run deploy with the same options, or npm run deploy:localstack to try it without an account.`,
  )
})

await runCommand(import.meta.filename, command)
