import { runCommand } from '../command-line/command.ts'
import { print } from '../command-line/output.ts'
import { connectToAws, placeOf } from '../serverless/aws.ts'
import { defineStageCommand } from '../serverless/options.ts'
import { rollBack } from '../serverless/rollback.ts'
import { withStageFile } from '../serverless/stage-file.ts'

export const command = defineStageCommand(
  'npm run rollback --',
  'Lets a deployed stage call the release before again, without a build.',
).action(values => rollBack(connectToAws(placeOf(withStageFile(values))), values.stage, print))

await runCommand(import.meta.filename, command)
