import { CloudFormationClient } from '@aws-sdk/client-cloudformation'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { S3Client } from '@aws-sdk/client-s3'
import { readUrl } from '../command-line/values.ts'
import { usualEndpoint } from '../localstack/environment.ts'
import { usualRegion } from './service-definition.ts'

/** The account and region of a deployment, by the options of the commands. */
export interface Place {
  region: string
  profile?: string
}

/** @param values the options that were typed; the environment counts where one is left out, as for the framework */
export function placeOf(values: { region?: string | undefined; 'aws-profile'?: string | undefined }): Place {
  const { region = process.env.AWS_REGION || usualRegion, 'aws-profile': profile } = values
  return { region, ...(profile !== undefined && { profile }) }
}

type Service = 'CLOUDFORMATION' | 'DYNAMODB' | 'S3'

/**
 * Another AWS than Amazon's, as AWS_ENDPOINT_URL_<SERVICE> or AWS_ENDPOINT_URL names it. Each SDK reads these itself.
 *
 * @throws Error of one sentence when it is no URL
 */
export const endpointOf = (service: Service): string | undefined =>
  [`AWS_ENDPOINT_URL_${service}`, 'AWS_ENDPOINT_URL']
    .map(name => readUrl(name, usualEndpoint, process.env[name]))
    .find(url => url !== undefined)

/** Clients of the services that hold a deployment, with the credentials of the environment. */
export function connectToAws(place: Place) {
  // At another address than Amazon's no bucket has a host name of its own.
  const forcePathStyle = endpointOf('S3') !== undefined
  return {
    cloudFormation: new CloudFormationClient(place),
    dynamodb: new DynamoDBClient(place),
    s3: new S3Client({ ...place, forcePathStyle }),
  }
}

/**
 * Makes one sentence of what the SDK says when a call cannot be made, or its answer cannot be read. What AWS itself
 * answered is a sentence already.
 */
export const explainAws = (place: Place, service: Service) => (error: Error & { code?: string }) => {
  const endpoint = endpointOf(service)
  if (error.name === 'CredentialsProviderError' || error.name === 'TokenProviderError')
    throw new Error(
      place.profile === undefined
        ? 'There are no AWS credentials: set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.'
        : `The AWS profile ${place.profile} gives no credentials: check your AWS configuration, or sign in.`,
    )
  if (/Deserialization error/.test(error.message) || error.name === 'UnknownError')
    throw new Error(
      `The server at ${endpoint ?? 'the address of AWS'} does not answer as AWS does: check AWS_ENDPOINT_URL.`,
    )
  if (error.code !== undefined && /^E[A-Z_]+$/.test(error.code))
    throw new Error(
      endpoint === undefined
        ? `AWS cannot be reached in the region ${place.region} (${error.code}): check the region and the network.`
        : `Nothing answers at ${endpoint} (${error.code}): start what is to listen there, or correct AWS_ENDPOINT_URL.`,
    )
  throw error
}
