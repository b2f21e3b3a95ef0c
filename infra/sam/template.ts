import { mkdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { stringify } from 'yaml'
import { projectRoot } from '../project-root.ts'
import { endpoints, localSettings, provider } from '../serverless/service-definition.ts'

/** The containers' name of the machine that runs them; on Linux SAM CLI gets it as --add-host. */
export const hostName = 'host.docker.internal'
export const tableName = 'saml-providers-sam'

/** The built functions, which the containers mount. */
export const codeFolder = join(projectRoot, '.build/functions')
const templateFile = join(projectRoot, '.build/sam/template.yml')
const api = 'LocalApi'

/** Writes SAM's template. @returns its path */
export async function writeTemplate(issuers: string, tablePort: number): Promise<string> {
  const template = await samTemplate(issuers, tablePort)
  mkdirSync(dirname(templateFile), { recursive: true })
  // Quoted: SAM CLI reads YAML 1.1, in which a plain 2025-01-01 is a date.
  const asText = { defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN', lineWidth: 0 } as const
  writeFileSync(templateFile, stringify(template, asText))
  return templateFile
}

/**
 * The functions and routes of serverless.yml in SAM's resource types, with the settings of the local service.
 *
 * SAM CLI cannot run the packaged CloudFormation template: it ignores the binary media types of AWS::ApiGateway::RestApi,
 * and the code of a packaged function is in a bucket.
 *
 * @param tablePort the port of the DynamoDB on this machine
 */
async function samTemplate(issuers: string, tablePort: number) {
  // SAM CLI runs no function whose answer is streamed, and sends most clients a compressed one as base64 text.
  const parameters = { issuers, tableName, responseTransferMode: 'BUFFERED', contentCodings: 'identity' }
  const { environment, timeoutSeconds } = localSettings(parameters)
  const endpoint = `http://${hostName}:${tablePort}`
  const resources = endpoints.map(({ name, handler, http }) => [
    name,
    {
      Type: 'AWS::Serverless::Function',
      Properties: {
        CodeUri: codeFolder,
        Handler: basename(handler),
        Runtime: provider.runtime,
        // This machine's architecture: the code is the same for both, and another one would be emulated.
        Architectures: [process.arch === 'arm64' ? 'arm64' : 'x86_64'],
        MemorySize: provider.memorySize,
        Timeout: timeoutSeconds,
        Environment: { Variables: { ...environment, AWS_ENDPOINT_URL_DYNAMODB: endpoint } },
        Events: Object.fromEntries(
          http.map(({ method, path }, index) => [
            `Route${index + 1}`,
            {
              Type: 'Api',
              Properties: { Method: method, Path: `/${path}`, RestApiId: { Ref: api } },
            },
          ]),
        ),
      },
    },
  ])
  return {
    AWSTemplateFormatVersion: '2010-09-09',
    Transform: 'AWS::Serverless-2016-10-31',
    Description: 'Written by `npm run sam` for `sam local`; do not deploy it.',
    Resources: {
      [api]: {
        Type: 'AWS::Serverless::Api',
        Properties: { StageName: 'local', BinaryMediaTypes: provider.apiGateway.binaryMediaTypes },
      },
      ...Object.fromEntries(resources),
    },
  }
}
