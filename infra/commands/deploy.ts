import { runCommand } from '../command-line/command.ts'
import { print } from '../command-line/output.ts'
import { previewOf, summaryOf } from '../serverless/announcement.ts'
import { connectToAws, placeOf } from '../serverless/aws.ts'
import { deployPackage, previewPackage } from '../serverless/deploy.ts'
import { awsVariables, definePackageCommand } from '../serverless/options.ts'
import { packageService } from '../serverless/package.ts'
import { withStageFile } from '../serverless/stage-file.ts'

export const command = definePackageCommand('npm run deploy --', {
  purpose: 'Packages a stage and deploys it to AWS, with the credentials of the environment.',
  variables: awsVariables,
  example: `npm run deploy -- --stage prod --region eu-central-1 --param 'issuers=[{"issuer":"https://issuer.example/","audience":"administration"}]'`,
})
  .option(
    '--change-table',
    'Gives the stage a new, empty table when tableName has changed; the old one stays.',
  )
  .option(
    '--adopt-table',
    'Takes over the table, which exists: after undeploy, after a failed first deployment, or from a backup.',
  )
  .option('--preview', 'Only prints what would change in the running stage, replacements first.')
  .action(async ({ changeTable, adoptTable, preview, ...typed }) => {
    const values = withStageFile(typed)
    const made = await packageService(values)
    const aws = connectToAws(placeOf(values))
    const wanted = { ...values, changeTable, adoptTable }
    if (preview) print(previewOf(values.stage, await previewPackage(aws, wanted, made)))
    else print(summaryOf((await deployPackage(aws, wanted, made)).outputs))
  })

await runCommand(import.meta.filename, command)
