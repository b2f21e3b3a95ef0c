import { GetStageCommand, UpdateStageCommand } from '@aws-sdk/client-api-gateway'
import { ListTargetsByRuleCommand, PutTargetsCommand } from '@aws-sdk/client-eventbridge'
import { finish } from '../resources/cloudwatch.ts'
import type { Aws } from './aws.ts'
import { deploymentOf, releasesIn, stageId, versionOf } from './release.ts'
import { resourcesOf, type Stack } from './stack.ts'

/** The framework's logical ids. */
const apiId = 'ApiGatewayRestApi'
const scheduleId = 'FinishRemovalsEventsRuleSchedule1'

/** Physical ids of a stack, by logical id. */
type Resources = Map<string, string>

/** The releases of a deployed stage. */
interface Releases {
  /** Their ids, the oldest first. */
  ids: string[]
  /** The one that the API calls; undefined when it calls none, as in stages that version 1.1.0 deployed. */
  running: string | undefined
}

export async function findReleases(aws: Aws, stack: Stack): Promise<Releases> {
  const resources = await resourcesOf(aws, stack)
  const ids = releasesIn(resources.keys()).filter(release => resources.has(versionOf(finish, release)))
  const deploymentId = await findDeployment(aws, resources)
  return { ids, running: ids.find(release => resources.get(deploymentOf(release)) === deploymentId) }
}

/**
 * Lets the API and the schedule of a stage call a release, unless they do so already. From the change of the API's stage
 * on, new requests go to that release.
 *
 * @returns whether anything was changed
 */
export async function callRelease(aws: Aws, stack: Stack, release: string): Promise<boolean> {
  const resources = await resourcesOf(aws, stack)
  const isStageMoved = await moveStage(aws, resources, release)
  const isScheduleMoved = await moveSchedule(aws, resources, release)
  return isStageMoved || isScheduleMoved
}

/** @returns the id of the deployment that the stage serves; undefined when the stack has no stage */
async function findDeployment({ apiGateway }: Aws, resources: Resources): Promise<string | undefined> {
  const [restApiId, stageName] = [resources.get(apiId), resources.get(stageId)]
  if (stageName === undefined) return undefined
  return (await apiGateway.send(new GetStageCommand({ restApiId, stageName }))).deploymentId
}

async function moveStage(aws: Aws, resources: Resources, release: string): Promise<boolean> {
  const [restApiId, stageName] = [resources.get(apiId), resources.get(stageId)]
  const value = resources.get(deploymentOf(release))
  const current = await findDeployment(aws, resources)
  if (current === undefined || value === undefined || current === value) return false
  const patchOperations = [{ op: 'replace', path: '/deploymentId', value } as const]
  await aws.apiGateway.send(new UpdateStageCommand({ restApiId, stageName, patchOperations }))
  return true
}

async function moveSchedule({ eventBridge }: Aws, resources: Resources, release: string): Promise<boolean> {
  const [Rule, Arn] = [resources.get(scheduleId), resources.get(versionOf(finish, release))]
  if (Rule === undefined || Arn === undefined) return false
  const { Targets = [] } = await eventBridge.send(new ListTargetsByRuleCommand({ Rule }))
  const moved = Targets.filter(target => target.Arn !== Arn).map(target => ({ ...target, Arn }))
  if (moved.length === 0) return false
  const { FailedEntries: [failed] = [] } = await eventBridge.send(
    new PutTargetsCommand({ Rule, Targets: moved }),
  )
  if (failed !== undefined) throw new Error(`The rule ${Rule} cannot be changed: ${failed.ErrorMessage}`)
  return true
}
