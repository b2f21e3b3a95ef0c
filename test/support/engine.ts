import type { TestProject } from 'vitest/node'
import { startEngine } from '../../infra/dynamodb/engine.ts'

declare module 'vitest' {
  interface ProvidedContext {
    dynamodbEndpoint: string
  }
}

/** The DynamoDB that all tests share, at DYNAMODB_ENDPOINT or embedded. Tests create tables of their own. */
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
