import { basename } from 'node:path'
import { endpoints, provider } from '../serverless/service-definition.ts'
import { localSettings } from '../serverless/settings.ts'

export interface TemplateOptions {
  /** The folder of the functions' code, relative to the template. */
  codeUri: string
  issuers: string
  tableName: string
  /** The DynamoDB, as containers reach it. */
  dynamodbEndpoint: string
}

const api = 'LocalApi'

/**
 * The functions and routes of serverless.yml in SAM's own resource types, with the settings of the stage `local`.
 *
 * SAM CLI cannot run the packaged CloudFormation template: of AWS::ApiGateway::RestApi it ignores the binary media
 * types, and the code of a packaged function lies in a bucket.
 */
export async function samTemplate({ codeUri, issuers, tableName, dynamodbEndpoint }: TemplateOptions) {
  const { environment, timeoutSeconds } = await localSettings(issuers, tableName)
  const resources = endpoints.map(({ name, handler, http }) => [
    name,
    {
      Type: 'AWS::Serverless::Function',
      Properties: {
        CodeUri: codeUri,
        Handler: basename(handler),
        Runtime: provider.runtime,
        // That of this machine: another one would have to be emulated, and the code is the same for both.
        Architectures: [process.arch === 'arm64' ? 'arm64' : 'x86_64'],
        MemorySize: provider.memorySize,
        Timeout: timeoutSeconds,
        Environment: { Variables: { ...environment, AWS_ENDPOINT_URL_DYNAMODB: dynamodbEndpoint } },
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
    Description: 'Written by `npm run sam` for `sam local` alone; not to be deployed.',
    Resources: {
      [api]: {
        Type: 'AWS::Serverless::Api',
        Properties: { StageName: 'local', BinaryMediaTypes: provider.apiGateway.binaryMediaTypes },
      },
      ...Object.fromEntries(resources),
    },
  }
}
