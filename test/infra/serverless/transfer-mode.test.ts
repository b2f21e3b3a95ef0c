import { describe, expect, test } from 'vitest'
import { everythingOn, type Packaged, packagedOnce } from './packaged.ts'

const made = packagedOnce('prod', everythingOn)
const buffered = packagedOnce('dev', { responseTransferMode: 'BUFFERED' })

describe('each function', () => {
  test('streams, and has time to send what it has done; the gateway waits as long', () => {
    expect(timesOf(made)).toEqual([
      { mode: 'STREAM', functionMs: 150_000, gatewayMs: 150_000 },
      { mode: 'STREAM', functionMs: 150_000, gatewayMs: 150_000 },
    ])
  })

  test('has a second more than the cap where answers are buffered, and the gateway waits as long', () => {
    expect(timesOf(buffered)).toEqual([
      { mode: 'BUFFERED', functionMs: 29_000, gatewayMs: 29_000 },
      { mode: 'BUFFERED', functionMs: 29_000, gatewayMs: 29_000 },
    ])
  })
})

/** How each method hands on the answer of its function, and how long both may take. */
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
