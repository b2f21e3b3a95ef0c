import type { Rules } from './rules.ts'
import { initialState, type Scenario } from './scenario.ts'
import { type Result, search } from './search.ts'

/** A scenario, and how its processes work; without a mistake by default. */
export type Run = Scenario & Partial<Rules>

export const run = ({ pageSize = 1, twoWays = false, late = [], mistake, ...scenario }: Run): Result =>
  search(initialState(scenario), { pageSize, twoWays, late, mistake })

/** A violation with its shortest trace. */
export const described = ({ violation }: Result) =>
  violation && `${violation.invariant}, but:\n  ${violation.trace.join('\n  ')}`

export const two: Scenario['users'] = ['saml', 'saml']
export const three: Scenario['users'] = ['saml', 'saml', 'saml']
export const joining: Scenario['users'] = ['not', 'saml', 'saml']
export const oneNot: Scenario['users'] = ['saml', 'not']
