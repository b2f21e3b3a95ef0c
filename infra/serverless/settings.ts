import { type Config, readConfig } from '../../lib/config.ts'
import { commonHeaders } from '../../lib/http/common-headers.ts'
import { deprecationHeaders } from '../../lib/http/deprecation.ts'
import { readTemplateParameters, templateParameters } from './template-parameters.ts'
import { parametersOf } from './service-definition.ts'
import { apiResources } from './api.ts'

const names = Object.keys(parametersOf('default'))

/** The functions' headers of a failure; `context.requestId` is a variable of API Gateway. */
const problemHeaders = {
  'Content-Type': 'application/problem+json',
  ...commonHeaders,
  'X-Request-Id': 'context.requestId',
}

/** Marks our sentence in the framework's error output. */
export const faultMark = 'Parameters:'

/**
 * Everything in serverless.yml that is computed from its parameters, so that the maximum wait, the function's time-out and
 * the gateway's are consistent, and the gateway's answers have the functions' headers.
 *
 * @param resolveVariable the framework's function, for addresses such as `param:<name>`
 * @throws a string of one sentence that names every wrong parameter; for an Error the framework would print the stack
 */
export async function settings(resolveVariable: (address: string) => Promise<unknown>) {
  const environment: Record<string, string> = {}
  const ofTemplate: Record<string, string> = {}
  for (const name of names) {
    const text = asText(await resolveVariable(`param:${name}`))
    if (name in templateParameters) ofTemplate[name] = text
    else if (text !== '') environment[variableOf(name)] = text
  }
  const config = configOf(environment)
  const template = readTemplateParameters(ofTemplate)
  if (typeof config === 'string' || typeof template === 'string')
    throw `${faultMark} ${[config, template].filter(one => typeof one === 'string').join('; ')}.`
  const { alarmTopicArn, finishEveryMinutes, streamTimeoutSeconds, reservedConcurrency, ...gateway } =
    template
  const isStreamed = config.responseTransferMode === 'STREAM'
  if (isStreamed && streamTimeoutSeconds * 1000 <= config.maxWaitMs)
    throw `${faultMark} streamTimeoutSeconds must be more than maxWaitSeconds.`
  const timeoutSeconds = isStreamed ? streamTimeoutSeconds : Math.ceil(config.maxWaitMs / 1000) + 1
  const stage = {
    instanceId: await resolveVariable('sls:instanceId'),
    stageName: await resolveVariable('sls:stage'),
  }

  const endpointHeaders = { ...problemHeaders, ...deprecationHeaders(config.deprecation) }
  return {
    environment,
    timeoutSeconds,
    gatewayTimeoutMs: timeoutSeconds * 1000,
    reservedConcurrency: reservedConcurrency || null, // the framework leaves out a null
    api: apiResources({ ...stage, ...gateway }),
    finishEveryMs: finishEveryMinutes * 60_000,
    finishSchedule: `rate(${finishEveryMinutes} minute${finishEveryMinutes === 1 ? '' : 's'})`,
    // Each period contains at least two runs; a removal counts as stuck after three.
    unfinishedPeriodSeconds: finishEveryMinutes * 60 * 2,
    unfinishedAgeSeconds: finishEveryMinutes * 60 * 3,
    // A tenth of what the gateway accepts in five minutes.
    refusedInFiveMinutesMax: gateway.throttleRate * 30,
    alarmActions: alarmTopicArn === '' ? [] : [alarmTopicArn],
    // For unknown paths: they have no successor.
    routeHeaders: asParameters(problemHeaders),
    endpointHeaders: asParameters(endpointHeaders),
    endpointHeadersWithRetry: asParameters({ ...endpointHeaders, 'Retry-After': '1' }),
  }
}

/** The settings of the local stack; a parameter that is given here overrides its default. */
export function localSettings(own: { issuers: string; tableName: string; responseTransferMode?: string }) {
  const parameters: Record<string, unknown> = { ...parametersOf('default'), ...own }
  return settings(async address => parameters[address.slice('param:'.length)])
}

/** @returns the configuration, or a sentence that names every wrong parameter */
function configOf(environment: Record<string, string>): Config | string {
  try {
    return readConfig(environment)
  } catch (error) {
    let message = (error as Error).message.replace(/^Configuration: /, '')
    for (const name of names) message = message.replaceAll(variableOf(name), name)
    return message
  }
}

const variableOf = (name: string) => name.replace(/[A-Z]/g, '_$&').toUpperCase()

function asText(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/**
 * API Gateway's form of headers: a static value is in single quotes; without quotes it is a variable. A quote inside, which
 * only a URL can contain, is escaped.
 */
function asParameters(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      `gatewayresponse.header.${name}`,
      value.startsWith('context.') ? value : `'${value.replaceAll("'", '%27')}'`,
    ]),
  )
}
