import type { IncomingMessage } from 'node:http'

/** A received call of AWS. */
export interface AwsCall {
  /** The service of the signature, such as `s3`. */
  service: string
  /** The action, or method and path. */
  action: string
  host: string
  accessKey: string
  /** Empty from 100,000 bytes. */
  body: string
}

export function describeCall({ method, url, headers }: IncomingMessage, body: Buffer): AwsCall {
  const [, accessKey = '', service = ''] =
    /Credential=([^/]+)\/\d+\/[^/]+\/([^/]+)\//.exec(headers.authorization ?? '') ?? []
  const text = body.length < 100_000 ? body.toString() : ''
  const form = headers['content-type']?.startsWith('application/x-www-form-urlencoded')
  const target = String(headers['x-amz-target'] ?? '').split('.')[1]
  const action = (form && new URLSearchParams(text).get('Action')) || target || `${method} ${url}`
  return { service, action, host: headers.host ?? '', accessKey, body: text }
}

/**
 * The distinct calls in alphabetical order, without the parts that differ from run to run.
 *
 * @returns such as `s3 PUT /BUCKET/…/serverless-state.json`, `logs DeleteLogGroup /aws/api-gateway/deprecated-saml-endpoints-STAGE`
 */
export function shapesOf(calls: readonly AwsCall[], stage: string): string[] {
  const shapes = calls.map(({ service, action, body }) => {
    const path = decodeURIComponent(action)
      .replace(/\?.*/, '')
      .replace(/^(\w+) \/[\w-]*deploymentbuck[\w-]*/, '$1 /BUCKET')
      .replace(/^(\w+ \/BUCKET)\/$/, '$1')
      .replace(/\/serverless\/.*\//, '/…/')
      .replace(/\/restapis\/\w+/, '/restapis/ID')
      .replace(/arn:.*:/, 'arn:…:')
    const { logGroupName = '', tableName = '' } = body.startsWith('{') ? JSON.parse(body) : {}
    return `${service} ${path} ${logGroupName}${tableName}`
      .trim()
      .replaceAll(new RegExp(`\\b${stage}\\b`, 'g'), 'STAGE')
  })
  return [...new Set(shapes)].sort()
}
