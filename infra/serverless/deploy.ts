import { setTimeout as delay } from 'node:timers/promises'
import { type Place, placeOf } from './aws.ts'
import { checkTable } from './check-table.ts'
import { framework } from './framework.ts'
import type { PackageValues } from './options.ts'
import type { Package } from './package.ts'
import { findStack, type Stack } from './stack.ts'

/** States of a stack in which it can only be deleted. In REVIEW_IN_PROGRESS, its first change set was not executed. */
const dead = /^(REVIEW_IN_PROGRESS|CREATE_FAILED|ROLLBACK_COMPLETE|ROLLBACK_FAILED|DELETE_FAILED)$/
const pollMs = 2000

interface DeployValues extends PackageValues {
  /** Whether the stage may get a new, empty table in place of its table. */
  changeTable?: boolean | undefined
}

/**
 * Deploys a package. The framework prints its progress and the reason of a failure.
 *
 * @throws Error of one sentence that says what is left and what to do
 */
export async function deployPackage(values: DeployValues, { options, template }: Package): Promise<Stack> {
  const { stage, changeTable = false } = values
  const place = placeOf(values)
  // Checked before the framework runs, so that a wrong endpoint or missing credentials give one sentence.
  const before = await findStack(place, stage)
  if (before !== undefined && dead.test(before.status))
    throw new Error(`Stage ${stage} is not deployed: ${deadEnd(stage, before)}.`)
  const { TableName } = template.Resources.ProviderTable.Properties
  await checkTable(place, stage, before, TableName, changeTable)

  const { status } = framework(['deploy', ...options], 'inherit')
  const after = await settled(place, stage)
  if (status === 0 && after !== undefined) return after
  throw new Error(`Stage ${stage} is not deployed, for the reason above: ${remedyFor(stage, before, after)}.`)
}

/** Waits for the end of a rollback: the framework stops waiting at the first failure. */
async function settled(place: Place, stage: string): Promise<Stack | undefined> {
  for (;;) {
    const stack = await findStack(place, stage)
    if (stack === undefined || dead.test(stack.status) || !stack.status.endsWith('_IN_PROGRESS')) return stack
    await delay(pollMs)
  }
}

function remedyFor(stage: string, before: Stack | undefined, after: Stack | undefined): string {
  if (after === undefined) return 'nothing is left of it; remove the cause and deploy again'
  if (dead.test(after.status)) return deadEnd(stage, after)
  if (before !== undefined)
    return `the previous deployment is in place (${after.status}); remove the cause and deploy again`
  return `a part of it is left (${after.status}); remove the cause and deploy again, or remove that part with ${undeploy(stage)}`
}

const deadEnd = (stage: string, { name, status }: Stack) =>
  `the stack ${name} is in the state ${status}, which no deployment can change; remove it with ${undeploy(stage)} and deploy again`

const undeploy = (stage: string) => `npm run undeploy -- --stage ${stage}`
