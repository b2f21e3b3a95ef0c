import { setTimeout as delay } from 'node:timers/promises'
import { print } from '../command-line/output.ts'
import { Interrupted } from '../command-line/signals.ts'
import { tableId } from '../resources/cloudwatch.ts'
import { prepareTable } from './adopt-table.ts'
import type { Aws } from './aws.ts'
import {
  checkForgotten,
  checkStack,
  checkTable,
  failureOf,
  interruptionOf,
  isSettled,
} from './deployment-rules.ts'
import type { PackageValues } from './options.ts'
import type { Package } from './package.ts'
import { changesOf } from './preview.ts'
import { asNewest, keepRelease, releasesIn, timeOf } from './release.ts'
import { callRelease, findReleases } from './running-release.ts'
import { findStack, getTemplate, hasTable, resourcesOf, type Stack } from './stack.ts'
import { writeTemplate } from './template.ts'

interface DeployValues extends Pick<PackageValues, 'stage' | 'param'> {
  /** Whether the stage may get a new, empty table in place of its table. */
  changeTable?: boolean | undefined
  /** Whether the stage takes over its table, which exists and belongs to no stack. */
  adoptTable?: boolean | undefined
  /** Whether parameters of the stage that the deployment does not name may be reset. */
  reset?: boolean | undefined
}

/**
 * Deploys a package. The release that runs stays in the stack, and runs on until everything of the next one is there.
 *
 * @throws Error of one sentence that says what is left and what to do
 */
export async function deployPackage(
  aws: Aws,
  values: DeployValues,
  made: Pick<Package, 'template' | 'folder' | 'deploy'>,
  { log = print, pollMs = 2000 } = {},
): Promise<Stack> {
  const { stage, adoptTable = false } = values
  const { before, deployed, table } = await checkDeployment(aws, values, made)
  const running = before && (await findReleases(aws, before)).running
  if (deployed !== undefined && running !== undefined)
    writeTemplate(made.folder, keepRelease(made.template, deployed, running))
  if (adoptTable)
    for (const setting of await prepareTable(aws, made.template)) log(`The table got ${setting}.`)

  const imports = adoptTable || table === undefined
  const { exitCode, interrupted } = await made.deploy(imports)
  if (interrupted) {
    await delay(pollMs) // the framework's last call may still be under way
    throw new Interrupted(interruptionOf(aws.place.region, await findStack(aws, stage)))
  }
  let after = await findStack(aws, stage)
  // A rollback may still run: the framework stops waiting at the first failure.
  while (after !== undefined && !isSettled(after)) {
    await delay(pollMs)
    after = await findStack(aws, stage)
  }
  if (exitCode === 0 && after !== undefined) {
    const [release = ''] = releasesIn(Object.keys(made.template.Resources))
    await callRelease(aws, after, release) // LocalStack's CloudFormation does not change stages and rules
    return after
  }
  // CloudFormation does not know of `npm run rollback`: it rolls a failed deployment back to the newest release before.
  if (after !== undefined && running !== undefined)
    await callRelease(aws, after, running).catch(({ message }: Error) =>
      log(
        `It is not certain that stage ${stage} calls its release of ${timeOf(running)} again (${message}).`,
      ),
    )
  throw new Error(failureOf(stage, before, after))
}

/**
 * What the deployment of a package would do, without doing it.
 *
 * @returns one line for each resource of the stage that would change; those that AWS would replace are first
 * @throws Error of one sentence when the deployment would be refused, or AWS cannot compare them
 */
export async function previewPackage(aws: Aws, values: DeployValues, made: Package): Promise<string[]> {
  const { stage } = values
  const { before, deployed } = await checkDeployment(aws, values, made)
  if (before !== undefined && deployed !== undefined)
    return changesOf(aws, before, { ...made, template: asNewest(made.template, deployed) })
  const { length } = Object.keys(made.template.Resources)
  return [`Stage ${stage} is not deployed: a deployment adds all ${length} resources of the package.`]
}

/** Checks before the framework runs, so that a wrong endpoint or missing credentials give one sentence, too. */
async function checkDeployment(aws: Aws, values: DeployValues, { template }: Pick<Package, 'template'>) {
  const { stage, changeTable = false, adoptTable = false, reset = false, param: given = [] } = values
  const before = await findStack(aws, stage)
  checkStack(stage, before)
  const wanted = template.Resources[tableId].Properties.TableName
  const table = before && (await resourcesOf(aws, before)).get(tableId)
  const exists = await hasTable(aws, wanted)
  checkTable({ stage, running: table, wanted, exists, changeTable, adoptTable })
  const deployed = before && (await getTemplate(aws, before))
  const parameters = deployed?.Metadata?.Parameters ?? {} // a release before 1.2 recorded none
  if (!reset)
    checkForgotten({ stage, running: parameters, wanted: template.Metadata?.Parameters ?? {}, given })
  return { before, deployed, table }
}
