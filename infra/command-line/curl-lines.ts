/** Lines to paste into a terminal that call both endpoints. */
export const curlLines = (listUrl: string, deleteUrl: string): string =>
  [
    'List the providers, then remove Okta and see which users it affects:',
    '',
    'TOKEN=$(npm run --silent token)',
    `curl -H "Authorization: Bearer $TOKEN" ${listUrl}`,
    `curl -H "Authorization: Bearer $TOKEN" -X DELETE ${deleteUrl}`,
    '',
  ].join('\n')
