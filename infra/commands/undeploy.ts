import { runCommand } from '../command-line/command.ts'
import { placeOf } from '../serverless/aws.ts'
import { packageOptions } from '../serverless/package.ts'
import { removeStack } from '../serverless/remove-stack.ts'
import { findStack, hasTable, ownedTable, stackNameOf } from '../serverless/stack.ts'

await runCommand({
  name: 'npm run undeploy --',
  purpose: 'Removes a deployed stage from AWS, except its table, which is protected and stays with its data.',
  options: {
    stage: {
      type: 'string',
      short: 's',
      value: 'NAME',
      description: 'The stage to remove; no default.',
    },
    region: packageOptions.region,
    'aws-profile': packageOptions['aws-profile'],
  },
  variables: { AWS_ENDPOINT_URL: 'The URL of an AWS emulator, such as http://localhost:4566.' },
  example: 'npm run undeploy -- --stage test --region eu-central-1',
  async run(values) {
    const { stage } = values
    if (stage === undefined) throw new Error('--stage is missing: name the stage to remove.')
    const place = placeOf(values)
    const stack = await findStack(place, stage)
    if (stack === undefined)
      throw new Error(
        `Stage ${stage} is not deployed in ${place.region} (there is no stack ${stackNameOf(stage)}): check --stage, --region and the account.`,
      )
    print(`Removing the stack ${stack.name} in ${place.region} …`)
    const tableName = await ownedTable(place, stack)
    await removeStack(place, stack)
    if (tableName === undefined || !(await hasTable(place, tableName)))
      return print(`Stage ${stage} is removed, and it has no table left.`)
    const table = `--region ${place.region} --table-name ${tableName}`
    print(`Stage ${stage} is removed. Its table ${tableName} stays with its data.`)
    print('Before you deploy the stage with that table name again, import the table or delete it:')
    print('')
    print(`aws dynamodb update-table ${table} --no-deletion-protection-enabled`)
    print(`aws dynamodb delete-table ${table}`)
  },
})

function print(line: string) {
  process.stdout.write(`${line}\n`)
}
