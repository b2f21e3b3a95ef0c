import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, NumberValue } from '@aws-sdk/lib-dynamodb'

/** A client for tests: it sends document commands, and the plain commands of the product. */
export const documents = (client: DynamoDBClient): DynamoDBDocumentClient =>
  DynamoDBDocumentClient.from(client, {
    marshallOptions: { removeUndefinedValues: true },
    unmarshallOptions: {
      wrapNumbers: stored => {
        const number = Number(stored)
        return Number.isSafeInteger(number) || String(number) === stored ? number : NumberValue.from(stored)
      },
    },
  })
