import { expect, test } from 'vitest'
import { viewOf } from '../../infra/data/linked-providers.ts'
import type { ProviderRecord } from '../../lib/domain/provider.ts'
import { int32, type Links, sampleProvider } from '../support/samples.ts'

const providers = [sampleProvider(7, 70), sampleProvider(8, 80), sampleProvider(9, 80)].map(
  (resource): ProviderRecord => ({ resource, state: 'active', memberCount: 0, removal: undefined }),
)

test.each<[Links, number[]]>([
  [{ saml: 7, sso: 70 }, [7]],
  [{ saml: 7, sso: 80 }, [7, 8, 9]],
  [{ sso: 80 }, [8, 9]],
  [{ saml: 9, sso: 80 }, [8, 9]],
  [{ saml: 6, sso: 60 }, []],
  [{}, []],
])('the links %j lead to the providers %j, to each once', ({ saml, sso }, ids) => {
  const found = viewOf(providers).linkedTo({ saml_provider_id: int32(saml), sso_provider_id: int32(sso) })
  expect(found.map(({ resource }) => resource.id)).toEqual(ids)
})
