/**
 * Errors of AWS by name and message, and the sentence of a command.
 *
 * Sources: "Common Errors" in the DynamoDB API Reference; the messages as AWS sends them, from reports to its SDKs.
 */
export const awsErrors: [name: string, message: string, sentence: string][] = [
  [
    'ExpiredTokenException',
    'The security token included in the request is expired',
    'Your AWS credentials have expired: sign in again, or renew AWS_SESSION_TOKEN.',
  ],
  [
    'UnrecognizedClientException',
    'The security token included in the request is invalid.',
    'AWS does not know your credentials in eu-central-1: check AWS_ACCESS_KEY_ID and AWS_SESSION_TOKEN, or AWS_PROFILE, and that your account uses the region.',
  ],
  [
    'InvalidSignatureException',
    'The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method.',
    'AWS refuses your signature: check AWS_SECRET_ACCESS_KEY.',
  ],
  [
    'InvalidSignatureException',
    'Signature expired: 20260131T000000Z is now earlier than 20260131T001500Z (20260131T002000Z - 5 min.)',
    'The clock of this machine differs from that of AWS by minutes: set it.',
  ],
  [
    'InvalidSignatureException',
    'Signature not yet current: 20260131T002809Z is still later than 20260131T001315Z (20260131T000815Z + 5 min.)',
    'The clock of this machine differs from that of AWS by minutes: set it.',
  ],
  [
    'MissingAuthenticationTokenException',
    'Request is missing Authentication Token',
    'AWS received no credentials: set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
  ],
  [
    'IncompleteSignatureException',
    "Authorization header requires 'Credential' parameter.",
    'AWS cannot read your credentials: check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY for characters that do not belong there.',
  ],
  [
    'ValidationException',
    '1 validation error detected: TableName must be between 3 and 255 characters.',
    'The DynamoDB in eu-central-1 failed: 1 validation error detected: TableName must be between 3 and 255 characters.',
  ],
]
