import { oktaId } from './sample-data.ts'

/** Lines to paste into a terminal that call both endpoints, the removal for a provider of the sample data if it is there. */
export function curlLines(listUrl: string, deleteUrl: string, hasSampleData = true): string {
  const [provider, id] = hasSampleData ? ['Okta', oktaId] : ['one by its ID', 'ID']
  return [
    `List the providers, then remove ${provider} and see which users it affects:`,
    '',
    'TOKEN=$(npm run --silent token)',
    `curl -H "Authorization: Bearer $TOKEN" ${listUrl}`,
    `curl -H "Authorization: Bearer $TOKEN" -X DELETE ${deleteUrl}${id}`,
    '',
  ].join('\n')
}
