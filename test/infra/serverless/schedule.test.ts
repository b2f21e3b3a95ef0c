import { describe, expect, test } from 'vitest'
import { everythingOn, type Packaged, packagedOnce } from './packaged.ts'

const made = packagedOnce('prod', everythingOn)
const properties: Packaged['properties'] = type => made.properties(type)

describe('the scheduled function', () => {
  test('runs as often as the parameter says, by no route, and once for each time', () => {
    expect(properties('AWS::Events::Rule')).toMatchObject([{ ScheduleExpression: 'rate(15 minutes)' }])
    expect(properties('AWS::Lambda::EventInvokeConfig')).toMatchObject([{ MaximumRetryAttempts: 0 }])
    expect(JSON.stringify(properties('AWS::ApiGateway::Method'))).not.toMatch(/finishRemovals/i)
  })

  test('is watched over two runs at least, for a removal that is older than three', () => {
    const alarm = properties('AWS::CloudWatch::Alarm').find(
      ({ MetricName }) => MetricName === 'OldestUnfinishedRemovalSeconds',
    )
    expect(alarm).toMatchObject({ Period: 1800, Threshold: 2700, TreatMissingData: 'breaching' })
  })
})

test('each endpoint has the concurrency that is reserved for it', () => {
  for (const { FunctionName, ReservedConcurrentExecutions } of properties('AWS::Lambda::Function'))
    expect(ReservedConcurrentExecutions).toBe(FunctionName.endsWith('-finishRemovals') ? undefined : 100)
})
