import { setTimeout as delay } from 'node:timers/promises'
import { connectToAws, placeOf } from './aws.ts'
import {
  checkForgotten,
  checkStack,
  checkTable,
  failureOf,
  interruptionOf,
  isSettled,
} from './deployment-rules.ts'
import { type Ended, framework } from './framework.ts'
import type { PackageValues } from './options.ts'
import type { Package } from './package.ts'
import { changesOf } from './preview.ts'
import { findStack, hasTable, parametersIn, type Stack, tableOf } from './stack.ts'

const pollMs = 2000

/** What a deployment asks and does outside this process. */
const outside = {
  findStack,
  tableOf,
  hasTable,
  parametersIn,
  /** Runs the framework, which prints its progress and the reason of a failure. */
  deploy: (options: string[]): Promise<Ended> => framework(['deploy', ...options], 'inherit'),
  pause: () => delay(pollMs),
}
export type Outside = typeof outside

interface DeployValues extends PackageValues {
  /** Whether the stage may get a new, empty table in place of its table. */
  changeTable?: boolean | undefined
  /** Whether parameters of the stage that the deployment does not name may be reset. */
  reset?: boolean | undefined
}

/**
 * Deploys a package.
 *
 * @throws Error of one sentence that says what is left and what to do
 */
export async function deployPackage(
  values: DeployValues,
  made: Pick<Package, 'options' | 'template'>,
  calls: Outside = outside,
): Promise<Stack> {
  const { findStack, deploy, pause } = calls
  const { stage } = values
  const { aws, before } = await checkDeployment(values, made, calls)
  const { exitCode, interrupted } = await deploy(made.options)
  if (interrupted) {
    await pause() // the framework's last call may still be under way
    throw new Error(interruptionOf(aws.place.region, await findStack(aws, stage)))
  }
  let after = await findStack(aws, stage)
  // A rollback may still run: the framework stops waiting at the first failure.
  while (after !== undefined && !isSettled(after)) {
    await pause()
    after = await findStack(aws, stage)
  }
  if (exitCode !== 0 || after === undefined) throw new Error(failureOf(stage, before, after))
  return after
}

/**
 * What the deployment of a package would do, without doing it.
 *
 * @returns one line for each resource of the stage that would change; those that AWS would replace are first
 * @throws Error of one sentence when the deployment would be refused, or AWS cannot compare them
 */
export async function previewPackage(values: DeployValues, made: Package): Promise<string[]> {
  const { stage } = values
  const { aws, before } = await checkDeployment(values, made, outside)
  if (before !== undefined) return changesOf(aws, before, stage, made)
  const { length } = Object.keys(made.template.Resources)
  return [`Stage ${stage} is not deployed: a deployment adds all ${length} resources of the package.`]
}

/** Checks before the framework runs, so that a wrong endpoint or missing credentials give one sentence, too. */
async function checkDeployment(
  { changeTable = false, reset = false, ...values }: DeployValues,
  { template }: Pick<Package, 'template'>,
  { findStack, tableOf, hasTable, parametersIn }: Outside,
) {
  const { stage, param: given = [] } = values
  const aws = connectToAws(placeOf(values))
  const before = await findStack(aws, stage)
  checkStack(stage, before)
  const wanted = template.Resources.ProviderTable.Properties.TableName
  const running = before && (await tableOf(aws, before))
  const exists = running === wanted || (await hasTable(aws, wanted))
  checkTable({ stage, running, wanted, exists, changeTable })
  if (before !== undefined && !reset)
    checkForgotten({
      stage,
      running: await parametersIn(aws, before),
      wanted: template.Metadata.Parameters,
      given,
    })
  return { aws, before }
}
