import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'

/** The calls that a real tool received for one stage, in the form of `shapesOf`. */
export interface Recorded {
  deploy: string[]
  update: string[]
  undeploy: string[]
}

/** LocalStack 2026.3.0 with `npm run deploy:localstack`, moto 5.2.5 with `npm run deploy`. */
type Tool = 'localstack' | 'moto'

const fileOf = (tool: Tool) => join(import.meta.dirname, `${tool}.json`)

export const recordedOf = (tool: Tool): Recorded => JSON.parse(readFileSync(fileOf(tool), 'utf8'))

/** Expects that the received calls equal the recorded ones; RENEW_RECORDED=yes records them again. */
export function expectRecorded(tool: Tool, received: Recorded): void {
  if (process.env.RENEW_RECORDED === 'yes')
    writeFileSync(fileOf(tool), `${JSON.stringify(received, null, 2)}\n`)
  expect(received, 'RENEW_RECORDED=yes records the calls again').toEqual(recordedOf(tool))
}
