import type { Template } from '../template.ts'
import { checkLogGroups } from './log-groups.ts'
import { type AwsConfig, contentOf, readStack, type RunningStack, type StackContent } from './stack.ts'
import { checkTable } from './table.ts'

/** A stage in an account. */
export interface Deployed {
  stage: string
  stackName: string
  config: AwsConfig
}

interface Deployment extends Deployed {
  /** The template to be deployed. */
  template: Template
  /** The table that the operator allows the stage to leave. */
  leaveTable: string | undefined
}

/**
 * Checks what CloudFormation would refuse too late or not at all, so that a deployment leaves a running stage its table.
 *
 * @throws Error of one sentence; or an error of the SDK, when AWS cannot be asked
 */
export async function checkDeployment(deployment: Deployment): Promise<void> {
  const { stage, stackName, template, leaveTable, config } = deployment
  const wanted = contentOf(template)
  const running = await readStack(config, stackName)
  if (running !== undefined) checkStack(stage, wanted, running)
  await checkLogGroups(config, stage, wanted, running)
  if (wanted.table !== undefined)
    await checkTable(config, { stage, running: running?.table, wanted: wanted.table, leaveTable })
}

function checkStack(stage: string, wanted: StackContent, { status, hasBucket, bucket }: RunningStack): void {
  if (/^ROLLBACK_(COMPLETE|FAILED)$/.test(status))
    throw new Error(
      `The first deployment of stage ${stage} failed, and its stack cannot be updated (${status}): run npm run undeploy -- --stage ${stage} first.`,
    )
  if (wanted.hasBucket && !hasBucket && bucket !== undefined)
    throw new Error(
      `Stage ${stage} has its packages in the bucket ${bucket}, and a running stage cannot get a bucket of its own: keep deploymentBucket: ${bucket} in infra/stages/${stage}.yml, or name another bucket of yours.`,
    )
}
