import { basename } from 'node:path'
import { endpoints, provider } from '../serverless/service-definition.ts'
import { localSettings } from '../serverless/settings.ts'

/** The containers' name of the machine that runs them; on Linux SAM CLI gets it as --add-host. */
export const hostName = 'host.docker.internal'

export const tableName = 'saml-providers-sam'
const api = 'LocalApi'

/**
 * The functions and routes of serverless.yml in SAM's resource types, with the settings of the local stack.
 *
 * SAM CLI cannot run the packaged CloudFormation template: it ignores the binary media types of AWS::ApiGateway::RestApi,
 * and the code of a packaged function is in a bucket.
 *
 * @param codeUri the folder of the functions' code, relative to the template
 * @param tablePort the port of the DynamoDB on this machine
 */
export async function samTemplate(codeUri: string, issuers: string, tablePort: number) {
  // SAM CLI runs no function whose answer is streamed.
  const own = { issuers, tableName, responseTransferMode: 'BUFFERED' }
  const { environment, timeoutSeconds } = await localSettings(own)
  const endpoint = `http://${hostName}:${tablePort}`
  const resources = endpoints.map(({ name, handler, http }) => [
    name,
    {
      Type: 'AWS::Serverless::Function',
      Properties: {
        CodeUri: codeUri,
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
