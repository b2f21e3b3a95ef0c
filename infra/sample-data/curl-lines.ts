import { spawnSync } from 'node:child_process'
import { oktaId } from './sample-data.ts'

/**
 * Lines to paste into a terminal that call both endpoints, the removal for a provider of the sample data if it is there. Their
 * answers are formatted by jq where it is installed.
 */
export function curlLines(
  listUrl: string,
  deleteUrl: string,
  hasSampleData = true,
  hasJq = spawnSync('jq', ['--version']).status === 0,
): string {
  const [provider, id] = hasSampleData ? ['Okta', oktaId] : ['one by its ID', 'ID']
  const [curl, format] = hasJq ? ['curl -sS', ' | jq .'] : [String.raw`curl -w '\n'`, '']
  const authorized = `${curl} -H "Authorization: Bearer $TOKEN"`
  return [
    `List the providers, then remove ${provider} and see which users it affects:`,
    '',
    'TOKEN=$(npm run --silent token)',
    `${authorized} ${listUrl}${format}`,
    `${authorized} -X DELETE ${deleteUrl}${id}${format}`,
    '',
  ].join('\n')
}
