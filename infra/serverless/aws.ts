import { APIGatewayClient } from '@aws-sdk/client-api-gateway'
import { CloudFormationClient } from '@aws-sdk/client-cloudformation'
import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { EventBridgeClient } from '@aws-sdk/client-eventbridge'
import { S3Client } from '@aws-sdk/client-s3'
import { readUrl } from '../command-line/values.ts'
import { usualRegion } from './service-definition.ts'

/** The default URL of LocalStack, and the example in messages about emulators. */
export const usualEndpoint = 'http://localhost:4566'

/** The AWS region and the profile of a deployment. */
interface Place {
  region: string
  profile?: string
}

/** @param values the command's options; an absent one is taken from the environment, as the framework does */
export function placeOf(values: { region?: string | undefined; awsProfile?: string | undefined }): Place {
  const { region = process.env.AWS_REGION || usualRegion, awsProfile: profile } = values
  return { region, ...(profile !== undefined && { profile }) }
}

/**
 * The URL of an AWS emulator, from AWS_ENDPOINT_URL_<SERVICE> or AWS_ENDPOINT_URL, which the SDKs read, too.
 *
 * @throws Error of one sentence when it is not a URL
 */
export const endpointOf = (service: string): string | undefined =>
  [`AWS_ENDPOINT_URL_${service}`, 'AWS_ENDPOINT_URL']
    .map(name => readUrl(name, usualEndpoint, process.env[name]))
    .find(url => url !== undefined)

/**
 * Clients of the AWS services that a deployment uses, with the credentials of the environment. They throw one sentence
 * when AWS cannot be asked.
 */
export function connectToAws(place: Place) {
  const forcePathStyle = endpointOf('S3') !== undefined // emulators have no host name per bucket
  const clients = {
    apiGateway: new APIGatewayClient(place),
    cloudFormation: new CloudFormationClient(place),
    dynamodb: new DynamoDBClient(place),
    eventBridge: new EventBridgeClient(place),
    logs: new CloudWatchLogsClient(place),
    s3: new S3Client({ ...place, forcePathStyle }),
  }
  for (const client of Object.values(clients)) {
    const { middlewareStack, config } = client as S3Client
    const service = config.serviceId.replaceAll(' ', '_').toUpperCase()
    middlewareStack.add(next => input => next(input).catch(explainAws(place, service)), {
      step: 'initialize',
      priority: 'high',
    })
  }
  return { place, ...clients }
}
export type Aws = ReturnType<typeof connectToAws>

/**
 * Throws one sentence for an error of the SDK: no credentials, no connection, or an unreadable answer. Errors that AWS
 * answered are rethrown.
 *
 * @internal
 */
export const explainAws = (place: Place, service: string) => (error: Error & { code?: string }) => {
  const endpoint = endpointOf(service)
  if (error.name === 'CredentialsProviderError' || error.name === 'TokenProviderError')
    throw new Error(
      place.profile === undefined
        ? 'No AWS credentials were found: set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.'
        : `The AWS profile ${place.profile} has no valid credentials: check your AWS configuration, or sign in.`,
    )
  if (/Deserialization error/.test(error.message) || error.name === 'UnknownError')
    throw new Error(
      `The server at ${endpoint ?? 'the address of AWS'} is not AWS or an emulator: check AWS_ENDPOINT_URL.`,
    )
  if (error.code !== undefined && /^E(?!RR_)[A-Z_]+$/.test(error.code))
    throw new Error(
      endpoint === undefined
        ? `AWS cannot be reached in the region ${place.region} (${error.code}): check the region and the network.`
        : `Nothing answers at ${endpoint} (${error.code}): start the emulator, or correct AWS_ENDPOINT_URL.`,
    )
  throw error
}
