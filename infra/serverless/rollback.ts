import type { Aws } from './aws.ts'
import { checkSettled, checkStack } from './deployment-rules.ts'
import { timeOf } from './release.ts'
import { callRelease, findReleases } from './running-release.ts'
import { getStack } from './stack.ts'

/**
 * Lets the API and the schedule of a stage call the release before again, which the stack has kept.
 *
 * @param log gets each line
 * @throws Error of one sentence
 */
export async function rollBack(aws: Aws, stage: string, log: (line: string) => void): Promise<void> {
  const stack = await getStack(aws, stage)
  checkStack(stage, stack)
  checkSettled(stage, stack)
  const [before, newest] = (await findReleases(aws, stack)).ids
  if (before === undefined || newest === undefined)
    throw new Error(
      `Stage ${stage} has no earlier release: deploy its commit; see "Roll back" in infra/releases.md.`,
    )
  if (!(await callRelease(aws, stack, before)))
    throw new Error(
      `Stage ${stage} is rolled back already, to the release of ${timeOf(before)}: deploy to go forward.`,
    )
  log(
    `Stage ${stage} is rolled back from the release of ${timeOf(newest)} to that of ${timeOf(before)}: its API and its schedule call that one.`,
  )
  log('Table, roles, alarms, dashboard, throttling and access log stay as they were deployed last.')
}
