import { describe, expect, test } from 'vitest'
import { everythingOn, type Packaged, packagedOnce } from './packaged.ts'

const streamed = packagedOnce('prod', everythingOn)
const buffered = packagedOnce('dev', { responseTransferMode: 'BUFFERED' })

describe('each function and its gateway integration', () => {
  test('stream, and have the same time limit for the sending', () => {
    expect(timesOf(streamed)).toEqual([
      { mode: 'STREAM', functionMs: 150_000, gatewayMs: 150_000 },
      { mode: 'STREAM', functionMs: 150_000, gatewayMs: 150_000 },
    ])
  })

  test('have a second more than the maximum wait when answers are buffered', () => {
    expect(timesOf(buffered)).toEqual([
      { mode: 'BUFFERED', functionMs: 29_000, gatewayMs: 29_000 },
      { mode: 'BUFFERED', functionMs: 29_000, gatewayMs: 29_000 },
    ])
  })
})

/** The transfer mode and the time limits of each method and its function. */
function timesOf({ properties }: Packaged) {
  const functions = properties('AWS::Lambda::Function').filter(
    one => !one.FunctionName.endsWith('-finishRemovals'),
  )
  return properties('AWS::ApiGateway::Method').map(({ Integration }, index) => ({
    mode: Integration.ResponseTransferMode,
    functionMs: functions[index]?.Timeout * 1000,
    gatewayMs: Integration.TimeoutInMillis,
  }))
}
