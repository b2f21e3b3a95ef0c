import { setTimeout as delay } from 'node:timers/promises'
import { print } from '../command-line/output.ts'
import { prepareTable } from './adopt-table.ts'
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
import { asNewest, keepRelease, releasesIn } from './release.ts'
import { callRelease, findReleases } from './running-release.ts'
import { findStack, getTemplate, hasTable, type Stack, tableOf } from './stack.ts'
import { writeTemplate } from './template.ts'

const pollMs = 2000

/** What a deployment asks and does outside this process. */
const outside = {
  findStack,
  findReleases,
  callRelease,
  getTemplate,
  writeTemplate,
  tableOf,
  hasTable,
  /** Runs the framework, which prints its progress and the reason of a failure. */
  deploy: (options: string[], imports: boolean): Promise<Ended> =>
    framework(['deploy', ...options], 'inherit', imports),
  prepareTable,
  pause: () => delay(pollMs),
}
export type Outside = typeof outside

interface DeployValues extends PackageValues {
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
  values: DeployValues,
  made: Pick<Package, 'options' | 'template' | 'folder'>,
  calls: Outside = outside,
): Promise<Stack> {
  const { findStack, deploy, pause } = calls
  const { stage } = values
  const { aws, before, deployed, table } = await checkDeployment(values, made, calls)
  const running = before && (await calls.findReleases(aws, before)).running
  if (deployed !== undefined && running !== undefined)
    calls.writeTemplate(made.folder, keepRelease(made.template, deployed, running))
  if (values.adoptTable)
    for (const setting of await calls.prepareTable(aws, made.template)) print(`The table got ${setting}.`)

  const imports = values.adoptTable || table === undefined
  const { exitCode, interrupted } = await deploy(made.options, imports)
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
  // CloudFormation does not know of `npm run rollback`: it rolls a failed deployment back to the newest release before.
  // And LocalStack's does not change stages and rules.
  const release = exitCode === 0 ? releasesIn(Object.keys(made.template.Resources)).at(-1) : running
  if (after !== undefined && release !== undefined) await calls.callRelease(aws, after, release)
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
  const { aws, before, deployed } = await checkDeployment(values, made, outside)
  if (before !== undefined && deployed !== undefined)
    return changesOf(aws, before, stage, { ...made, template: asNewest(made.template, deployed) })
  const { length } = Object.keys(made.template.Resources)
  return [`Stage ${stage} is not deployed: a deployment adds all ${length} resources of the package.`]
}

/** Checks before the framework runs, so that a wrong endpoint or missing credentials give one sentence, too. */
async function checkDeployment(
  { changeTable = false, adoptTable = false, reset = false, ...values }: DeployValues,
  { template }: Pick<Package, 'template'>,
  { findStack, tableOf, hasTable, getTemplate }: Outside,
) {
  const { stage, param: given = [] } = values
  const aws = connectToAws(placeOf(values))
  const before = await findStack(aws, stage)
  checkStack(stage, before)
  const wanted = template.Resources.ProviderTable.Properties.TableName
  const table = before && (await tableOf(aws, before))
  const exists = table === wanted || (await hasTable(aws, wanted))
  checkTable({ stage, running: table, wanted, exists, changeTable, adoptTable })
  const deployed = before && (await getTemplate(aws, before))
  if (deployed !== undefined && !reset)
    checkForgotten({
      stage,
      running: deployed.Metadata?.Parameters ?? {}, // a release before 1.2 recorded none
      wanted: template.Metadata?.Parameters ?? {},
      given,
    })
  return { aws, before, deployed, table }
}
