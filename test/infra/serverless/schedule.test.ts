import { describe, expect, test } from 'vitest'
import { everythingOn, type Packaged, packagedOnce } from './packaged.ts'

const deployment = packagedOnce('prod', everythingOn)
const properties: Packaged['properties'] = type => deployment.properties(type)

describe('the scheduled function', () => {
  test('runs at the rate of its parameter, has no route, and is not retried', () => {
    expect(properties('AWS::Events::Rule')).toMatchObject([{ ScheduleExpression: 'rate(15 minutes)' }])
    expect(properties('AWS::Lambda::EventInvokeConfig')).toMatchObject([{ MaximumRetryAttempts: 0 }])
    expect(JSON.stringify(properties('AWS::ApiGateway::Method'))).not.toMatch(/finishRemovals/i)
  })

  test('has an alarm with a period of two runs for a removal that is older than three runs', () => {
    const alarm = properties('AWS::CloudWatch::Alarm').find(
      ({ MetricName }) => MetricName === 'OldestUnfinishedRemovalSeconds',
    )
    expect(alarm).toMatchObject({ Period: 1800, Threshold: 2700, TreatMissingData: 'breaching' })
  })
})

test('each endpoint has the reserved concurrency', () => {
  for (const { FunctionName, ReservedConcurrentExecutions } of properties('AWS::Lambda::Function'))
    expect(ReservedConcurrentExecutions).toBe(FunctionName.endsWith('-finishRemovals') ? undefined : 100)
})
