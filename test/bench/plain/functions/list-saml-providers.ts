import { endpoint } from '../endpoint.ts'
import { samlProvider } from '../resources.ts'
import { queryAll } from '../table.ts'

export const handler = endpoint('saml-providers:read', async (_, signal) => ({
  saml_providers: (await queryAll('SAML_PROVIDERS', signal)).map(samlProvider),
}))
