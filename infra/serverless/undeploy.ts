import { placeOf } from './aws.ts'
import { removeStack } from './remove-stack.ts'
import { findStack, hasTable, stackNameOf, tableOf } from './stack.ts'

interface UndeployValues {
  stage: string
  region?: string | undefined
  awsProfile?: string | undefined
}

/**
 * Removes a deployed stage, except its table.
 *
 * @param log gets each line: what is removed, what stays, and how to delete that
 * @throws Error of one sentence
 */
export async function undeploy({ stage, ...values }: UndeployValues, log: (line: string) => void) {
  const place = placeOf(values)
  const stack = await findStack(place, stage)
  if (stack === undefined)
    throw new Error(
      `Stage ${stage} is not deployed in ${place.region} (there is no stack ${stackNameOf(stage)}): check --stage, --region and the account.`,
    )
  log(`Removing the stack ${stack.name} in ${place.region} …`)
  const tableName = await tableOf(place, stack)
  await removeStack(place, stack)
  if (tableName === undefined || !(await hasTable(place, tableName)))
    return log(`Stage ${stage} is removed, and it has no table left.`)
  const table = `--region ${place.region} --table-name ${tableName}`
  log(`Stage ${stage} is removed. Its table ${tableName} stays with its data.`)
  log('Before you deploy the stage with that table name again, import the table or delete it:')
  log('')
  log(`aws dynamodb update-table ${table} --no-deletion-protection-enabled`)
  log(`aws dynamodb delete-table ${table}`)
}
