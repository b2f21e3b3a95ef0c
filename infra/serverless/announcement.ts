import type { Template } from './template.ts'

/** The deprecation and sunset dates of the deployment's answers, in one sentence. */
export function announcementOf({ Resources, Metadata = {} }: Template): string {
  const { Variables } = Resources.ListSamlProvidersLambdaFunction.Properties.Environment
  const { DEPRECATED_AT, SUNSET_AT, SUNSET_ENFORCED } = Variables // see lib/config.ts
  const isDefault = Metadata.Parameters?.deprecatedAt === undefined
  const since = isDefault ? `${DEPRECATED_AT}, the default (deprecatedAt sets it)` : DEPRECATED_AT
  const enforced = SUNSET_ENFORCED === 'true' ? ', enforced' : ''
  const sunset = SUNSET_AT === undefined ? 'no sunset date' : `sunset at ${SUNSET_AT}${enforced}`
  return `The answers announce: deprecated since ${since}; ${sunset}.`
}

/** What a deployment prints at its end: the stack's outputs, and the next step. */
export function summaryOf(outputs: Record<string, string>): string {
  const lines = ['ListUrl', 'DeleteUrl', 'TableName', 'DashboardUrl'].map(
    name => `${name.padEnd(14)}${outputs[name] ?? 'not among the outputs'}`,
  )
  return [
    '',
    ...lines,
    '',
    'Next: check it. TOKEN is an access token with the scope for listing. The check only reads.',
    '',
    'read -rs TOKEN; export TOKEN',
    `npm run --silent smoke -- --url ${outputs.ListUrl ?? 'LIST_URL'}`,
  ].join('\n')
}

/** What a preview prints at its end. @param changes one line for each resource */
export const previewOf = (stage: string, changes: string[]): string =>
  changes.length === 0
    ? `Stage ${stage} would not change.`
    : [
        `A deployment would change these resources of stage ${stage}; nothing is changed yet:`,
        '',
        ...changes,
      ].join('\n')
