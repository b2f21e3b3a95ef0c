import { defineCommand, runCommand } from '../command-line/command.ts'
import { print } from '../command-line/output.ts'
import { connectToAws, placeOf } from '../serverless/aws.ts'
import {
  awsVariables,
  profileOption,
  regionOption,
  requiredStageOption,
  stageFileOption,
} from '../serverless/options.ts'
import { rollBack } from '../serverless/rollback.ts'
import { withStageFile } from '../serverless/stage-file.ts'

export const command = defineCommand('npm run rollback --', {
  purpose: 'Lets a deployed stage call the release before again, without a build.',
  variables: awsVariables,
  example: 'npm run rollback -- --stage test --region eu-central-1',
})
  .addOption(requiredStageOption('The stage to roll back.'))
  .addOption(regionOption)
  .addOption(stageFileOption)
  .addOption(profileOption)
  .action(values => rollBack(connectToAws(placeOf(withStageFile(values))), values.stage, print))

await runCommand(import.meta.filename, command)
