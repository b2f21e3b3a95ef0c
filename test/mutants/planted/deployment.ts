import type { Mistake } from '../plant.ts'

/** Mistakes in what is deployed, and in the commands that deploy it, with the tests that find them. */
// biome-ignore format: one mistake a line
export const inDeployment: readonly Mistake[] = [
  // Rights.
  ['infra/resources/roles.yml', 'Action: [dynamodb:Query, dynamodb:GetItem] #', 'Action: [dynamodb:Query, dynamodb:GetItem, dynamodb:Scan] #', 'infra/resources/rights'],
  ['infra/resources/roles.yml', "dynamodb:LeadingKeys: ['SAML_PROVIDER#*']", "dynamodb:LeadingKeys: ['*']", 'infra/resources/rights'],
  ['infra/deployer/policy.json', '"arn:aws:s3:::deprecated-saml-*"', '"*"', 'infra/deployer/deployer'],
  ['infra/deployer/policy.json', '"dynamodb:CreateTable",', '"dynamodb:CreateTable", "dynamodb:DeleteTable",', 'infra/deployer/deployer'],
  ['infra/deployer/trust.json', ':environment:STAGE"', ':*"', 'infra/deployer/deployer'],
  // The table, and the logs that are evidence.
  ['infra/resources/table.yml', '    DeletionPolicy: Retain', '    DeletionPolicy: Delete', 'infra/serverless/package'],
  ['infra/resources/table.yml', 'PointInTimeRecoveryEnabled: true', 'PointInTimeRecoveryEnabled: false', 'infra/serverless/package'],
  ['infra/resources/table.yml', 'AttributeName: expires_at', 'AttributeName: expires', 'infra/serverless/package'],
  ['infra/serverless/api.ts', "logRetentionDays < yearDays ? 'Delete' : 'Retain'", "logRetentionDays < yearDays ? 'Delete' : 'Delete'", 'infra/serverless/package'],
  // Alarms.
  ['infra/resources/alarms.ts', 'removing.map(', 'removingEndpoints.map(', 'infra/resources/alarms'],
  ['infra/resources/alarms.ts', 'finishEveryMinutes * 60 * 3, missingIsBad: true', 'finishEveryMinutes * 60 * 3', 'infra/resources/alarms'],
  ['infra/resources/alarms.ts', 'threshold: maxWaitSeconds + ', 'threshold: ', 'infra/resources/alarms'],
  ['infra/resources/alarms.ts', "all.map(name => ofLambda('Errors', name))", "endpoints.map(name => ofLambda('Errors', name))", 'infra/resources/alarms'],
  ['infra/resources/alarms.ts', "        ...all.map(name => ofService('TableBusy', name)),\n", '', 'infra/resources/alarms'],
  ['infra/resources/alarms.ts', 'Math.ceil(finishEveryMinutes / 5) + 2', '3', 'infra/resources/alarms'],
  ['infra/resources/alarms.ts', '      { periods: givenUpPeriods, datapoints: 2, mayWake: true },', '      { periods: givenUpPeriods, datapoints: 2 },', 'pages'],
  ['infra/resources/operations.ts', 'options.tracing && {', '{', 'infra/serverless/stage-file'],
  ['infra/resources/dashboard.ts', "found('TableBusy', all)", "found('TableBusy', endpoints)", 'infra/resources/operations'],
  ['lib/http/access-log.ts', '(budget?.waitMs ?? maxWaitMs) === maxWaitMs', 'budget !== undefined', 'request/wait'],
  // The gateway's own answers, and its limits.
  ['infra/resources/gateway-responses.ts', "...(code !== 'route_not_found' && deprecation),", '', 'infra/serverless/api'],
  ['infra/resources/gateway-responses.ts', "['ThrottledResponse', 'THROTTLED', 'too_many_requests'],", '', 'infra/serverless/api'],
  ['infra/serverless/settings.ts', 'Math.ceil(config.maxWaitMs / 1000) + 1', 'Math.ceil(config.maxWaitMs / 1000)', 'infra/serverless/api'],
  ['infra/serverless/settings.ts', 'finishEveryMinutes * 60 - 10)', 'finishEveryMinutes * 60 + 10)', 'infra/serverless/parameters'],
  ['infra/serverless/settings.ts', 'finishEverySeconds: finishEveryMinutes * 60', 'finishEverySeconds: 21_600', 'infra/serverless/package'],
  // What a deployment refuses.
  ['infra/serverless/table-check.ts', 'running !== undefined && running.name !== wanted.name', 'running !== undefined && running.name === wanted.name', 'infra/serverless/table-check'],
  ['infra/serverless/table-check.ts', 'if (await find(dynamodb, wanted.name))', 'if (running !== undefined && await find(dynamodb, wanted.name))', 'infra/serverless/table-check'],
  ['infra/serverless/table-check.ts', 'if (!isDeepStrictEqual(table.KeySchema, KeySchema))', 'if (table.KeySchema === KeySchema)', 'infra/serverless/table-check'],
  ['infra/serverless/table-check.ts', 'ttl.AttributeName !== AttributeName || ', '', 'infra/serverless/table-check'],
  ['infra/serverless/plugin.ts', "'before:deploy:deploy': () => this.#inOneSentence(() => this.#checkTable()),", '', 'infra/serverless/plugin'],
  ['infra/serverless/plugin.ts', "'before:deploy:function:initialize'", "'after:deploy:function:initialize'", 'infra/serverless/plugin'],
  ['infra/serverless/plugin.ts', "'before:print:print': () => this.#refuseFaults('printed'),", '', 'infra/serverless/plugin'],
  ['infra/serverless/plugin.ts', '...longStageName(stage),', '', 'infra/serverless/parameters'],
  ['infra/serverless/plugin.ts', '!Object.hasOwn(parametersOf(\'default\'), name)', 'name === \'\'', 'infra/serverless/plugin'],
  ['infra/serverless/api-deployment.ts', '[...deployment.DependsOn, ...answers.map(([one]) => one)]', 'deployment.DependsOn', 'infra/serverless/api'],
  ['infra/serverless/api-deployment.ts', 'delete deployment.Properties.StageName', '', 'infra/serverless/api'],
  ['infra/serverless/stage-file.ts', 'v.strictObject(', 'v.object(', 'infra/serverless/stage-file'],
  ['serverless.yml', 'Effect: Deny', 'Effect: Allow', 'infra/serverless/package'],
  ['serverless.yml', "Resource: '*' # a logical id", 'Resource: LogicalResourceId/ProviderTable # a logical id', 'infra/serverless/package'],
]
