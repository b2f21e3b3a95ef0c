import { Option } from '@commander-js/extra-typings'
import { defineCommand, runCommand } from '../command-line/command.ts'
import { print } from '../command-line/output.ts'
import { placeOf } from '../serverless/aws.ts'
import { profileOption, regionOption, stageName } from '../serverless/options.ts'
import { removeStack } from '../serverless/remove-stack.ts'
import { findStack, hasTable, stackNameOf, tableOf } from '../serverless/stack.ts'

await runCommand(
  defineCommand('npm run undeploy --', {
    purpose:
      'Removes a deployed stage from AWS, except its table, which is protected and stays with its data.',
    variables: { AWS_ENDPOINT_URL: 'The URL of an AWS emulator, such as http://localhost:4566.' },
    example: 'npm run undeploy -- --stage test --region eu-central-1',
  })
    .addOption(
      new Option('-s, --stage <NAME>', 'The stage to remove; no default.')
        .makeOptionMandatory()
        .argParser(stageName),
    )
    .addOption(regionOption)
    .addOption(profileOption)
    .action(async ({ stage, ...values }) => {
      const place = placeOf(values)
      const stack = await findStack(place, stage)
      if (stack === undefined)
        throw new Error(
          `Stage ${stage} is not deployed in ${place.region} (there is no stack ${stackNameOf(stage)}): check --stage, --region and the account.`,
        )
      print(`Removing the stack ${stack.name} in ${place.region} …`)
      const tableName = await tableOf(place, stack)
      await removeStack(place, stack)
      if (tableName === undefined || !(await hasTable(place, tableName)))
        return print(`Stage ${stage} is removed, and it has no table left.`)
      const table = `--region ${place.region} --table-name ${tableName}`
      print(`Stage ${stage} is removed. Its table ${tableName} stays with its data.`)
      print('Before you deploy the stage with that table name again, import the table or delete it:')
      print('')
      print(`aws dynamodb update-table ${table} --no-deletion-protection-enabled`)
      print(`aws dynamodb delete-table ${table}`)
    }),
)
