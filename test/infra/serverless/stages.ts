export const issuers =
  '[{"issuer":"https://login.example.com","audience":"a","jwksUri":"https://login.example.com/keys"}]'

/** Parameters that enable all options. */
export const everythingOn = {
  sunsetAt: '2027-06-30T00:00:00Z',
  sunsetEnforced: true,
  documentationUrl: "https://docs.example.com/what's-new",
  gatewayAccessLogs: true,
  tracing: true,
  reservedConcurrency: 100,
  alarmTopicArn: 'arn:aws:sns:eu-central-1:123456789012:operators',
}

/** The same for a stage on a table that exists, behind a custom domain, whose answers are buffered. */
export const elsewhere = {
  ...everythingOn,
  createTable: false,
  tableName: 'restored',
  disableExecuteApiEndpoint: true,
  responseTransferMode: 'BUFFERED',
}
