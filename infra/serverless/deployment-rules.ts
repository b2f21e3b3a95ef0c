import type { Stack } from './stack.ts'

/** States of a stack in which it can only be deleted. In REVIEW_IN_PROGRESS, its first change set was not executed. */
const dead = /^(REVIEW_IN_PROGRESS|CREATE_FAILED|ROLLBACK_COMPLETE|ROLLBACK_FAILED|DELETE_FAILED)$/

/** Whether the stack's state does not change any more without another call. */
export const isSettled = ({ status }: Stack) => dead.test(status) || !status.endsWith('_IN_PROGRESS')

/**
 * Checks that a deployment can change the stage's stack.
 *
 * @param stack undefined when the stage is not deployed
 * @throws Error of one sentence
 */
export function checkStack(stage: string, stack: Stack | undefined): void {
  if (stack !== undefined && dead.test(stack.status))
    throw new Error(`Stage ${stage} is not deployed: ${deadEnd(stage, stack)}.`)
}

/** @throws Error of one sentence when a deployment or its rollback is under way */
export function checkSettled(stage: string, stack: Stack): void {
  if (!isSettled(stack))
    throw new Error(
      `Stage ${stage} is being changed (${stack.status}): wait until that ends, then run the command again.`,
    )
}

/**
 * Checks that AWS would delete the stack, unless it is doing so already.
 *
 * @throws Error of one sentence
 */
export function checkRemovable(stage: string, stack: Stack, region: string): void {
  if (stack.status === 'DELETE_IN_PROGRESS') return
  checkSettled(stage, stack)
  if (stack.isProtected)
    throw new Error(
      `Nothing is removed, because the stack ${stack.name} has termination protection: end it with aws cloudformation update-termination-protection --no-enable-termination-protection --region ${region} --stack-name ${stack.name}, then run the command again.`,
    )
}

interface TableChange {
  stage: string
  /** The stage's table; undefined when it has none. */
  running: string | undefined
  /** The table of the deployment. */
  wanted: string
  /** Whether there is a table of that name. */
  exists: boolean
  /** Whether the deployment may give the stage a new, empty table in place of its table. */
  changeTable: boolean
  /** Whether the stage may take over a table that exists. */
  adoptTable: boolean
}

/**
 * Checks that a deployment keeps the stage's table, or creates one that does not exist.
 *
 * @throws Error of one sentence
 */
export function checkTable(change: TableChange): void {
  const fault = faultOf(change)
  if (fault !== undefined) throw new Error(fault)
}

function faultOf({ stage, running, wanted, exists, changeTable, adoptTable }: TableChange) {
  if (running === wanted) return undefined
  if (adoptTable && !exists)
    return `There is no table ${wanted} to take over: leave out --adopt-table, or correct tableName.`
  if (running === undefined)
    return exists && !adoptTable
      ? `The table ${wanted} exists and does not belong to stage ${stage}: take it over with --adopt-table, delete it, or choose another name with --param tableName=NAME.`
      : undefined
  if (exists)
    return `Stage ${stage} uses the table ${running}, and ${wanted} exists without belonging to the stage: keep the first with --param tableName=${running}, or see "Change the table" in infra/releases.md.`
  return changeTable
    ? undefined
    : `Stage ${stage} uses the table ${running}, and this deployment would change it to ${wanted}, which is new and empty: keep it with --param tableName=${running}, or change it with --change-table.`
}

interface Naming {
  stage: string
  /** The parameters of the running stage that differ from its defaults. */
  running: Readonly<Record<string, string>>
  /** Those of the deployment. */
  wanted: Readonly<Record<string, string>>
  /** `NAME=VALUE`, as the stage's file and the command line give them. */
  given: readonly string[]
}

/**
 * Checks that a deployment resets no parameter of the running stage without naming it.
 *
 * @throws Error of one sentence
 */
export function checkForgotten({ stage, running, wanted, given }: Naming): void {
  const named = new Set([...Object.keys(wanted), ...given.map(text => text.split('=', 1)[0])])
  const forgotten = Object.entries(running).flatMap(([name, value]) =>
    named.has(name) ? [] : [`${name}=${value}`],
  )
  if (forgotten.length === 0) return
  throw new Error(
    `Stage ${stage} runs with ${forgotten.join(' and ')}, which this deployment does not name and would reset: write it into infra/stages/${stage}.yml, or name it with the value that it shall have.`,
  )
}

/** The sentence about a deployment that failed: what is left, and what to do. */
export function failureOf(stage: string, before: Stack | undefined, after: Stack | undefined): string {
  const rest =
    after === undefined
      ? 'nothing is left of it; remove the cause and deploy again'
      : dead.test(after.status)
        ? deadEnd(stage, after)
        : before !== undefined
          ? `the previous deployment is in place (${after.status}); remove the cause and deploy again`
          : `a part of it is left (${after.status}); remove the cause and deploy again, or remove that part with ${undeploy(stage)}`
  return `Stage ${stage} is not deployed, for the reason above: ${rest}.`
}

/** The sentence about an interrupted deployment: what AWS still does, and how to take it back. */
export function interruptionOf(region: string, stack: Stack | undefined): string {
  if (stack === undefined) return 'Interrupted: nothing is deployed.'
  const { name, status } = stack
  if (isSettled(stack))
    return `Interrupted: AWS changes nothing any more, and the stack ${name} is in the state ${status}.`
  const call = (action: string) => `aws cloudformation ${action} --region ${region} --stack-name ${name}`
  return `Interrupted, but AWS goes on with the stack ${name} (${status}): see its end with ${call('describe-stacks')}; take back an update with ${call('cancel-update-stack')}.`
}

const deadEnd = (stage: string, { name, status }: Stack) =>
  `the stack ${name} is in the state ${status}, which no deployment can change; remove it with ${undeploy(stage)} and deploy again`

const undeploy = (stage: string) => `npm run undeploy -- --stage ${stage}`
