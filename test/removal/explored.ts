import { explore, type Schedule } from './explorer.ts'
import { crashes, type Fated, type FateName, namesOf, passing, stalls } from './fates.ts'
import type { Scenario } from './scenario.ts'

export const isFull = Boolean(process.env.TEST_FULL)
export const crashNames = namesOf(crashes)
export const faultNames: FateName[] = [...namesOf(passing), ...namesOf(stalls)]

/** What follows an attempt to which something happens. */
export type Plan = (fated: Fated) => Schedule

/** Lets each of these fates happen at each call of a scenario. @returns how often, and the first promises that are broken */
export async function explored(names: FateName[], plan: Plan, scenario: () => Promise<Scenario>) {
  let count = 0
  for (const name of names)
    for (let n = 1; ; n++) {
      const { happened, broken } = await explore(await scenario(), plan([name, n]))
      if (!happened) break
      count += 1
      if (broken.length > 0) return { count, broken: broken.map(promise => `call ${n} ${name}: ${promise}`) }
    }
  return { count, broken: [] }
}

/** A lookup, a list and an end; per 25 users an unlink and a mark. */
export const callsMin = (users: number) => 3 + 2 * Math.ceil(users / 25)
