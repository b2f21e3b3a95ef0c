import type { TestProject } from 'vitest/node'
import { startEngine } from '../../infra/dynamodb/engine.ts'

declare module 'vitest' {
  interface ProvidedContext {
    dynamodbEndpoint: string
  }
}

/** The DynamoDB that all tests share: the one of DYNAMODB_ENDPOINT, or an embedded one; each test makes its own table. */
export default async function shareEngine({ provide }: TestProject) {
  const given = process.env.DYNAMODB_ENDPOINT
  if (given !== undefined) {
    provide('dynamodbEndpoint', given)
    return
  }
  const engine = await startEngine()
  provide('dynamodbEndpoint', engine.endpoint)
  return engine.stop
}
