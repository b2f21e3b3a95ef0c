import type { Place } from './aws.ts'
import { hasTable, type Stack, tableOf } from './stack.ts'

/**
 * Checks that a deployment keeps the stage's table, or creates one that does not exist.
 *
 * @param stack undefined when the stage is not deployed
 * @param changeTable whether the deployment may give the stage a new, empty table in place of its table
 * @throws Error of one sentence
 */
export async function checkTable(
  place: Place,
  stage: string,
  stack: Stack | undefined,
  tableName: string,
  changeTable: boolean,
): Promise<void> {
  const running = stack && (await tableOf(place, stack))
  if (running === tableName) return
  const exists = await hasTable(place, tableName)
  if (running === undefined) {
    if (!exists) return
    throw new Error(
      `The table ${tableName} exists and does not belong to stage ${stage}: delete it, import it into the stack, or choose another name with --param tableName=NAME.`,
    )
  }
  if (exists)
    throw new Error(
      `Stage ${stage} uses the table ${running}, and ${tableName} exists without belonging to the stage: keep the first with --param tableName=${running}, or see "Change the table" in infra/README.md.`,
    )
  if (!changeTable)
    throw new Error(
      `Stage ${stage} uses the table ${running}, and this deployment would change it to ${tableName}, which is new and empty: keep it with --param tableName=${running}, or change it with --change-table.`,
    )
}
