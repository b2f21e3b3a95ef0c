import { Option } from '@commander-js/extra-typings'
import { defineCommand, runCommand } from '../command-line/command.ts'
import { print } from '../command-line/output.ts'
import { connectToAws, placeOf } from '../serverless/aws.ts'
import { profileOption, regionOption, stageFileOption, stageName } from '../serverless/options.ts'
import { withStageFile } from '../serverless/stage-file.ts'
import { undeploy } from '../serverless/undeploy.ts'

export const command = defineCommand('npm run undeploy --', {
  purpose: 'Removes a deployed stage from AWS, except its table, which is protected and stays with its data.',
  variables: { AWS_ENDPOINT_URL: 'The URL of an AWS emulator, such as http://localhost:4566.' },
  example: 'npm run undeploy -- --stage test --region eu-central-1',
})
  .addOption(
    new Option('-s, --stage <NAME>', 'The stage to remove; no default.')
      .makeOptionMandatory()
      .argParser(stageName),
  )
  .addOption(regionOption)
  .addOption(stageFileOption)
  .addOption(profileOption)
  .action(values => undeploy(connectToAws(placeOf(withStageFile(values))), values.stage, print))

await runCommand(import.meta.filename, command)
