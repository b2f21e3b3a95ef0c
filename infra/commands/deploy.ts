import { runCommand } from '../command-line/command.ts'
import { print } from '../command-line/output.ts'
import { deployPackage } from '../serverless/deploy.ts'
import { definePackageCommand } from '../serverless/options.ts'
import { packageService } from '../serverless/package.ts'

export const command = definePackageCommand('npm run deploy --', {
  purpose: 'Packages a stage and deploys it to AWS, with the credentials of the environment.',
  variables: { AWS_ENDPOINT_URL: 'The URL of an AWS emulator, such as http://localhost:4566.' },
  example: `npm run deploy -- --stage prod --region eu-central-1 --param 'issuers=[{"issuer":"https://issuer.example/","audience":"administration"}]'`,
})
  .option(
    '--change-table',
    'Gives the stage a new, empty table when tableName has changed; the old one stays.',
  )
  .action(async ({ changeTable, ...values }) => {
    const { outputs } = await deployPackage({ ...values, changeTable }, await packageService(values))
    const names = ['ListUrl', 'DeleteUrl', 'TableName', 'DashboardUrl']
    const lines = names
      .map(name => `${name.padEnd(14)}${outputs[name] ?? 'not available from this endpoint'}\n`)
      .join('')
    print(
      `\n${lines}\nNext: check it with a token that has the scope for listing. The check only reads.\n\nnpm run --silent smoke -- --url ${outputs.ListUrl ?? 'LIST_URL'} --token TOKEN`,
    )
  })

await runCommand(import.meta.filename, command)
