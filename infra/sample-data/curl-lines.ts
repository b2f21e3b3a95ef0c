import { spawnSync } from 'node:child_process'
import { oktaId } from './sample-data.ts'

const okta: Target = { id: oktaId, name: 'Okta' }

/** The provider that the lines remove. */
interface Target {
  id: number | 'ID'
  name: string
}

/** A provider or user a line, by its name, because whole ones fill screens. A problem and an empty list come whole. */
const names = "jq -c '.data[]?[]? // . | .display_name // .principal_name // .'"

/** Lines to paste into a terminal that call both endpoints. The answers are shortened to names where jq is installed. */
export function curlLines(
  listUrl: string,
  deleteUrl: string,
  { id, name }: Target = okta,
  hasJq = spawnSync('jq', ['--version']).status === 0,
): string {
  const [curl, format] = hasJq ? ['curl -sS', ` | ${names}`] : [String.raw`curl -w '\n'`, '']
  const authorized = `${curl} -H "Authorization: Bearer $TOKEN"`
  return [
    `List the providers, then remove ${name} and see which users it affects:`,
    '',
    'TOKEN=$(npm run --silent token)',
    `${authorized} ${listUrl}${format}`,
    `${authorized} -X DELETE ${deleteUrl}${id}${format}`,
    '',
  ].join('\n')
}
