import type { Mistake } from '../plant.ts'
import { inAuth } from './auth.ts'
import { inData } from './data.ts'
import { inDeployment } from './deployment.ts'
import { inLocal } from './local.ts'
import { inRemoval } from './removal.ts'
import { inRequests } from './requests.ts'
import { inStore } from './store.ts'

/** The mistakes that `npm run mutants -- --planted` plants, one at a time. */
export const mistakes: readonly Mistake[] = [
  ...inRemoval,
  ...inStore,
  ...inAuth,
  ...inRequests,
  ...inData,
  ...inDeployment,
  ...inLocal,
]
