import { readFileSync } from 'node:fs'
import { join } from 'node:path'

interface Statement {
  Sid: string
  Effect: 'Allow'
  Action: string | string[]
  Resource: string | string[]
  Condition?: { StringEquals: Record<string, string> }
}

/** A call to AWS, as a policy decides about it. */
export interface Call {
  /** Such as `dynamodb:DescribeTable`. */
  action: string
  /** An ARN; `*` when the action knows no resources. */
  resource: string
  /** The values of condition keys. */
  context?: Record<string, string>
}

const file = join(import.meta.dirname, '../../infra/deployer/policy.json')

/** The statements of the deployer's policy. */
export function deployerPolicy(region: string, account: string, stage: string): Statement[] {
  const values: Record<string, string> = { REGION: region, ACCOUNT: account, STAGE: stage }
  const text = readFileSync(file, 'utf8').replace(/\b(REGION|ACCOUNT|STAGE)\b/g, name => values[name] ?? '')
  return JSON.parse(text).Statement
}

/** Whether one of the statements allows the call. None denies, and `StringEquals` is the only condition. */
export const allows = (statements: Statement[], { action, resource, context = {} }: Call): boolean =>
  statements.some(
    ({ Action, Resource, Condition }) =>
      [Action].flat().some(pattern => isLike(pattern, action)) &&
      [Resource].flat().some(pattern => isLike(pattern, resource)) &&
      Object.entries(Condition?.StringEquals ?? {}).every(([key, value]) => context[key] === value),
  )

/** Whether a text matches a pattern of IAM; `*` is any text. */
export const isLike = (pattern: string, text: string): boolean =>
  new RegExp(`^${pattern.replace(/[.?+^$(){}|[\]\\]/g, '\\$&').replaceAll('*', '.*')}$`).test(text)
