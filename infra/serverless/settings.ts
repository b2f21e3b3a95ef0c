import { type Config, readConfig } from '../../lib/config.ts'
import { deprecationHeaders } from '../../lib/http/deprecation.ts'
import { operations } from '../resources/operations.ts'
import { readTemplateParameters, templateParameters } from './template-parameters.ts'
import { endpoints, parametersOf, scheduledFunctions } from './service-definition.ts'
import { apiResources } from './api.ts'
import { versionOf } from './version.ts'

const defaults = parametersOf('default')
const names = Object.keys(defaults)

/** Lambda's limit is 900. A run must have time to read all memberships of a provider: a minute for ten million. */
const finishMaxSeconds = 890

/** Lambda's quota for the environment variables of a function ("Lambda quotas"). */
const environmentMaxBytes = 4096

/**
 * Everything in serverless.yml and the resources that is computed from the parameters, so that the maximum wait, the
 * function's time-out and the gateway's are consistent, and the gateway's answers have the functions' headers.
 *
 * @param resolveVariable the framework's function, for addresses such as `param:<name>`
 * @param version what is deployed
 * @throws Error that names every wrong parameter
 */
export async function settings(
  resolveVariable: (address: string) => Promise<unknown>,
  version = versionOf(),
) {
  const { environment, config, template } = await readParameters(resolveVariable, version)
  const {
    alarmTopicArn,
    finishEveryMinutes,
    streamTimeoutSeconds,
    reservedConcurrency,
    tracing,
    createTable,
    ...gateway
  } = template
  const isStreamed = config.responseTransferMode === 'STREAM'
  if (isStreamed && streamTimeoutSeconds * 1000 <= config.maxWaitMs)
    throw new Error('streamTimeoutSeconds must be more than maxWaitSeconds')
  const timeoutSeconds = isStreamed ? streamTimeoutSeconds : Math.ceil(config.maxWaitMs / 1000) + 1
  const stageName = String(await resolveVariable('sls:stage'))
  const watched = {
    service: String(await resolveVariable('self:service')),
    stageName,
    functions: [...endpoints, ...scheduledFunctions],
    tableName: config.tableName,
    tracing,
    alarmActions: alarmTopicArn === '' ? [] : [alarmTopicArn],
    finishEveryMinutes,
    maxWaitSeconds: config.maxWaitMs / 1000,
    throttleRate: gateway.throttleRate,
  }
  const deprecation = deprecationHeaders(config.deprecation)
  return {
    environment,
    version,
    timeoutSeconds,
    gatewayTimeoutMs: timeoutSeconds * 1000,
    reservedConcurrency: reservedConcurrency || null, // the framework leaves out null
    tracing,
    responseTransferMode: config.responseTransferMode,
    logRetentionDays: gateway.logRetentionDays,
    /** The file of infra/resources/ with the table. */
    table: createTable ? 'table.yml' : 'existing-table.yml',
    api: apiResources({ stageName, ...gateway, tracing, deprecation }),
    finishEveryMs: finishEveryMinutes * 60_000,
    finishTimeoutSeconds: Math.min(finishMaxSeconds, finishEveryMinutes * 60 - 10), // shorter than its interval
    finishEverySeconds: finishEveryMinutes * 60,
    finishSchedule: `rate(${finishEveryMinutes} minute${finishEveryMinutes === 1 ? '' : 's'})`,
    operations: operations(watched),
    deprecation,
  }
}

/**
 * The parameters of the functions as environment variables, beside the version, and as configuration, and those of the
 * templates.
 *
 * @throws Error that names every wrong parameter
 */
async function readParameters(resolveVariable: (address: string) => Promise<unknown>, version: string) {
  const texts: Record<string, string> = {}
  for (const name of names) texts[name] = asText(await resolveVariable(`param:${name}`))
  const given = Object.entries(texts).flatMap(([name, text]) =>
    name in templateParameters || text === '' ? [] : [[variableOf(name), text]],
  )
  const environment: Record<string, string> = { ...Object.fromEntries(given), VERSION: version }
  const faults = names.flatMap(name =>
    texts[name] === '' && asText(defaults[name]) !== ''
      ? [`${name} is empty; leave it out for its default`]
      : [],
  )
  const read = <T>(reader: () => T) => {
    try {
      return reader()
    } catch (error) {
      faults.push((error as Error).message)
      return undefined
    }
  }
  const config = read(() => configOf(environment))
  read(() => checkSize(environment))
  const template = read(() => readTemplateParameters(texts))
  if (faults.length > 0 || config === undefined || template === undefined) throw new Error(faults.join('; '))
  return { environment, config, template }
}

/** Lambda measures the variables of a function as one JSON object; its refusal shows that text ("String measured"). */
function checkSize(environment: Record<string, string>): void {
  const bytes = Buffer.byteLength(JSON.stringify(environment))
  if (bytes > environmentMaxBytes)
    throw new Error(
      `as environment variables they have ${bytes} bytes of JSON, and Lambda allows ${environmentMaxBytes}: shorten the longest, usually issuers, see infra/issuers.md`,
    )
}

/** The settings of the local stack; a parameter that is given here overrides its default. */
export function localSettings(own: { issuers: string; tableName: string; responseTransferMode?: string }) {
  const parameters: Record<string, unknown> = { ...defaults, ...own }
  return settings(async address => parameters[address.replace('param:', '')], 'local')
}

/** Valid settings, for the framework to go on with where the parameters are wrong. */
export const placeholders = () =>
  localSettings({ issuers: '[{"issuer":"https://issuer.example","audience":"none"}]', tableName: 'none' })

/** @throws Error that names every wrong parameter */
function configOf(environment: Record<string, string>): Config {
  try {
    return readConfig(environment)
  } catch (error) {
    let message = (error as Error).message.replace(/^Configuration: /, '')
    for (const name of names) message = message.replaceAll(variableOf(name), name)
    throw new Error(message)
  }
}

const variableOf = (name: string) => name.replace(/[A-Z]/g, '_$&').toUpperCase()

/** The text of a parameter's value in YAML; a list or a map becomes JSON. */
function asText(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
