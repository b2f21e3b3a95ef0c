import { inject, onTestFinished, vi } from 'vitest'
import { command } from '../../infra/commands/data.ts'
import { captured } from '../support/machine.ts'

/** Runs `npm run data -- …` in this process. */
export function dataHere(...args: string[]) {
  vi.stubEnv('DYNAMODB_ENDPOINT', inject('dynamodbEndpoint'))
  onTestFinished(() => void vi.unstubAllEnvs())
  return captured(() => command.parseAsync(args, { from: 'user' }))
}
