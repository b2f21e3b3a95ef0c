import type { Mistake } from '../plant.ts'

/** Mistakes in what is deployed, and in the commands that deploy it, with the tests that find them. */
// biome-ignore format: one mistake a line
export const inDeployment: readonly Mistake[] = [
  // Rights.
  ['infra/resources/roles.yml', 'Action: [dynamodb:Query, dynamodb:GetItem] #', 'Action: [dynamodb:Query, dynamodb:GetItem, dynamodb:Scan] #', 'infra/resources/access'],
  ['infra/resources/roles.yml', "dynamodb:LeadingKeys: ['SAML_PROVIDER#*']", "dynamodb:LeadingKeys: ['*']", 'infra/resources/access'],
  ['infra/deployer/policy.json', '"arn:aws:s3:::deprecated-saml-*"', '"*"', 'infra/serverless/deployer'],
  ['infra/deployer/policy.json', '"dynamodb:CreateTable",', '"dynamodb:CreateTable", "dynamodb:DeleteTable",', 'infra/serverless/deployer'],
  ['infra/deployer/trust.json', ':environment:STAGE"', ':*"', 'infra/serverless/deployer'],
  // The table, and the logs that are evidence.
  ['infra/resources/table.yml', '    DeletionPolicy: Retain', '    DeletionPolicy: Delete', 'infra/serverless/package'],
  ['infra/resources/table.yml', 'PointInTimeRecoveryEnabled: true', 'PointInTimeRecoveryEnabled: false', 'infra/serverless/package'],
  ['infra/resources/table.yml', 'AttributeName: expires_at', 'AttributeName: expires', 'infra/serverless/package'],
  ['infra/serverless/api.ts', "logRetentionDays < yearDays ? 'Delete' : 'Retain'", "logRetentionDays < yearDays ? 'Delete' : 'Delete'", 'infra/resources/template'],
  // Alarms.
  ['infra/resources/alarms.ts', "        scheduled: ofService('MembershipDrift', finish),\n", '', 'infra/resources/operations'],
  ['infra/resources/alarms.ts', 'finishEveryMinutes * 60 * 3, missingIsBad: true', 'finishEveryMinutes * 60 * 3', 'infra/resources/operations'],
  ['infra/resources/alarms.ts', 'threshold: maxWaitSeconds + ', 'threshold: ', 'infra/serverless/parameters'],
  ['infra/resources/alarms.ts', "deleteCrash: ofLambda('Errors', remove),", '', 'infra/resources/operations'],
  // The gateway's own answers, and its limits.
  ['infra/resources/gateway-responses.ts', "...(code !== 'route_not_found' && deprecation),", '', 'infra/serverless/api'],
  ['infra/resources/gateway-responses.ts', "['ThrottledResponse', 'THROTTLED', 'too_many_requests'],", '', 'infra/serverless/api'],
  ['infra/serverless/settings.ts', 'Math.ceil(config.maxWaitMs / 1000) + 1', 'Math.ceil(config.maxWaitMs / 1000)', 'infra/serverless/api'],
  ['infra/serverless/settings.ts', 'finishEveryMinutes * 60 - 10)', 'finishEveryMinutes * 60 + 10)', 'infra/serverless/parameters'],
  // What a deployment refuses.
  ['infra/serverless/deployment-rules.ts', 'return changeTable\n', 'return running !== wanted\n', 'infra/serverless/deployment-rules'],
  ['infra/serverless/deployment-rules.ts', 'named.has(name) ? []', "named.has(name) || value !== '' ? []", 'infra/serverless/deployment-rules'],
  ['infra/serverless/deployment-rules.ts', 'if (stack.isProtected)', "if (stack.isProtected && region === '')", 'infra/serverless/undeploy'],
  ['infra/serverless/adopt-table.ts', 'if (!isDeepStrictEqual(Table.KeySchema, KeySchema))', 'if (Table.KeySchema === KeySchema)', 'infra/serverless/adopt-table'],
  ['infra/serverless/adopt-table.ts', 'if (Table.DeletionProtectionEnabled !== true)', 'if (Table.DeletionProtectionEnabled === null)', 'infra/serverless/adopt-table'],
  ['infra/serverless/release.ts', 'if (needsOf(template, next) !== needsOf(stack, running)) return template', '', 'infra/serverless/release'],
]
