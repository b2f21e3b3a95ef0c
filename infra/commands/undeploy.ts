import { ask } from '../command-line/ask.ts'
import { runCommand } from '../command-line/command.ts'
import { print } from '../command-line/output.ts'
import { connectToAws, placeOf } from '../serverless/aws.ts'
import { defineStageCommand } from '../serverless/options.ts'
import { withStageFile } from '../serverless/stage-file.ts'
import { undeploy } from '../serverless/undeploy.ts'

export const command = defineStageCommand(
  'npm run undeploy --',
  'Removes a deployed stage from AWS, except its table, and its logs when they are kept for a year or more.',
)
  .option('--yes', 'Does not ask for a confirmation.')
  .option('--delete-logs', 'Also deletes the logs, which stay when logRetentionDays is a year or more.')
  .action(({ yes, deleteLogs, ...values }) => {
    if (!yes && !process.stdin.isTTY)
      throw new Error('Nobody can be asked for a confirmation here: add --yes to remove the stage.')
    const dialogue = { log: print, ask: yes ? async () => values.stage : ask, deleteLogs }
    return undeploy(connectToAws(placeOf(withStageFile(values))), values.stage, dialogue)
  })

await runCommand(import.meta.filename, command)
