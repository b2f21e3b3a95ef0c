import { describe, expect, test } from 'vitest'
import { environmentFor, reachableUrl, readEndpoint } from '../../../infra/localstack/environment.ts'
import { reachLocalStack } from '../../../infra/localstack/reach.ts'
import { freePort } from '../../support/free-port.ts'
import { serverOf } from '../../support/server-of.ts'

describe('a deployment to LocalStack is refused in one sentence', () => {
  const elsewhere = 'or set AWS_ENDPOINT_URL to its URL.'

  test('when nothing answers at the endpoint', async () => {
    const url = `http://127.0.0.1:${await freePort()}`
    const sentence = `Nothing answers at ${url}: start LocalStack, ${elsewhere}`
    await expect(reachLocalStack(url)).rejects.toThrow(sentence)
  })

  test('when another server answers there', async () => {
    const url = await serverOf((_, response) => response.end('<html></html>'))
    const sentence = `The server at ${url} is not LocalStack: start LocalStack, ${elsewhere}`
    await expect(reachLocalStack(url)).rejects.toThrow(sentence)
  })

  test('when the server does not answer', async () => {
    const url = await serverOf(() => {})
    const sentence = `${url} gave no answer within 0.05 s: restart LocalStack, ${elsewhere}`
    await expect(reachLocalStack(url, 50)).rejects.toThrow(sentence)
  })

  test('when the endpoint is not a URL', () => {
    expect(() => readEndpoint('localhost:4566')).toThrow(/^AWS_ENDPOINT_URL must be a URL such as [^\n]+\.?$/)
  })
})

describe('the environment of a deployment to LocalStack', () => {
  test("has LocalStack's default endpoint unless another one is set", () => {
    expect(readEndpoint(undefined)).toBe('http://localhost:4566')
    expect(readEndpoint('')).toBe('http://localhost:4566')
    expect(readEndpoint('http://localstack:4566/')).toBe('http://localstack:4566')
  })

  test("has its own key, and the caller's variables except those of AWS and proxies", () => {
    const callersAws = {
      AWS_SESSION_TOKEN: 't',
      AWS_ENDPOINT_URL_STS: 'https://s',
      AWS_PROFILE: 'p',
      https_proxy: 'p',
    }
    const variables = environmentFor('http://localhost:4566', { HOME: '/h', ...callersAws })
    expect(variables).toMatchObject({
      HOME: '/h',
      AWS_ENDPOINT_URL: 'http://localhost:4566',
      AWS_ACCESS_KEY_ID: 'local',
    })
    for (const name of Object.keys(callersAws)) expect(variables).not.toHaveProperty(name)
  })

  test.each([
    'https://abc.execute-api.eu-central-1.amazonaws.com/dev/api',
    'http://abc.execute-api.localhost.localstack.cloud:4566/dev/api',
  ])('changes %s to a URL whose host name needs no DNS', url => {
    const reachable = 'http://localhost:4566/_aws/execute-api/abc/dev/api'
    expect(reachableUrl('http://localhost:4566', url)).toBe(reachable)
  })
})
