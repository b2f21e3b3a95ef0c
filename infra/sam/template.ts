// biome-ignore lint/suspicious/noExplicitAny: a template has no type; what is missing is seen by the tests
type Properties = Record<string, any>

export interface PackagedTemplate {
  Resources: Record<string, { Type: string; Properties: Properties }>
}

const api = 'LocalApi'

/**
 * The packaged CloudFormation template, as far as `sam local start-api` runs it, in SAM's own resource types.
 *
 * SAM CLI reads AWS::ApiGateway::Method, too, but then ignores the API's binary media types, so that compressed answers
 * would leave as base64 text; and the packaged code lies in a bucket, where it runs no function from.
 *
 * @param codeUri the folder of the functions' code, seen from the template
 * @param variables what each function's environment holds beside what is packaged
 */
export function samTemplate({ Resources }: PackagedTemplate, codeUri: string, variables: Properties) {
  const ofType = (type: string) => Object.entries(Resources).filter(([, { Type }]) => Type === type)
  const [restApi] = ofType('AWS::ApiGateway::RestApi')
  const methods = ofType('AWS::ApiGateway::Method').map(([, { Properties }]) => Properties)

  const pathOf = (resource: Properties): string => {
    if (resource.Ref === undefined) return ''
    const { ParentId, PathPart } = Resources[resource.Ref]?.Properties ?? {}
    return `${pathOf(ParentId)}/${PathPart}`
  }
  const eventsOf = (functionId: string) =>
    methods
      .filter(({ Integration }) => JSON.stringify(Integration.Uri).includes(`"${functionId}"`))
      .map(({ HttpMethod, ResourceId }, index) => [
        `Route${index + 1}`,
        {
          Type: 'Api',
          Properties: {
            Method: HttpMethod.toLowerCase(),
            Path: pathOf(ResourceId),
            RestApiId: { Ref: api },
          },
        },
      ])

  return {
    AWSTemplateFormatVersion: '2010-09-09',
    Transform: 'AWS::Serverless-2016-10-31',
    Description:
      'Made by `npm run sam` from the packaged template, for `sam local` only: not to be deployed.',
    Resources: {
      [api]: {
        Type: 'AWS::Serverless::Api',
        Properties: { StageName: 'local', BinaryMediaTypes: restApi?.[1].Properties.BinaryMediaTypes },
      },
      ...Object.fromEntries(
        ofType('AWS::Lambda::Function').map(([id, { Properties }]) => [
          id,
          {
            Type: 'AWS::Serverless::Function',
            Properties: {
              CodeUri: codeUri,
              Handler: Properties.Handler.split('/').at(-1),
              Runtime: Properties.Runtime,
              // The machine's own, as another one would have to be emulated; the code is the same for both.
              Architectures: [process.arch === 'arm64' ? 'arm64' : 'x86_64'],
              MemorySize: Properties.MemorySize,
              Timeout: Properties.Timeout,
              Environment: { Variables: { ...Properties.Environment.Variables, ...variables } },
              Events: Object.fromEntries(eventsOf(id)),
            },
          },
        ]),
      ),
    },
  }
}
