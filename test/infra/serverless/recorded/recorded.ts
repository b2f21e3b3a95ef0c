import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'

/** The calls that a real tool got from one life of a stage, as `shapesOf` tells them. */
export interface Recorded {
  deploy: string[]
  update: string[]
  undeploy: string[]
}

/** LocalStack 2026.3.0 got them from `npm run deploy:localstack`, moto 5.2.5 from `npm run deploy`. */
type Tool = 'localstack' | 'moto'

const fileOf = (tool: Tool) => join(import.meta.dirname, `${tool}.json`)

export const recordedOf = (tool: Tool): Recorded => JSON.parse(readFileSync(fileOf(tool), 'utf8'))

/** Compares what the tool gets now with what was recorded; RENEW_RECORDED=yes records it anew. */
export function expectRecorded(tool: Tool, seen: Recorded): void {
  if (process.env.RENEW_RECORDED === 'yes') writeFileSync(fileOf(tool), `${JSON.stringify(seen, null, 2)}\n`)
  expect(seen, 'RENEW_RECORDED=yes records the calls anew').toEqual(recordedOf(tool))
}
