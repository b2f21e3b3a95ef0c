import { expect, test } from 'vitest'
import { isLinked, parseProviderId } from '../../lib/domain/provider.ts'
import { sampleProvider, sampleUser } from '../support/samples.ts'

test.each([
  [{ saml: 7 }, undefined, true],
  [{ saml: 8, sso: 70 }, 70, true],
  [{ saml: 7, sso: 80 }, 70, true],
  [{}, undefined, false],
  [{}, 0, false],
  [{ saml: 8, sso: 80 }, 70, false],
  [{ saml: 70, sso: 7 }, 70, false],
  [{ sso: 0 }, undefined, false],
])('a user linked by %j is linked to provider 7 of SSO provider %s: %s', (links, sso, linked) => {
  expect(isLinked(sampleUser(1, links), sampleProvider(7, sso))).toBe(linked)
})

test.each(['1', '10', '2147483647'])('%s is the id of a provider', text =>
  expect(parseProviderId(text)).toBe(Number(text)),
)

const notIds = ['', '0', '07', '-7', '+7', '7.0', '7e1', '0x7', ' 7', '7\n', '٧', '2147483648', '21474836470']
test.each(notIds)('%j is not the id of a provider', text => expect(parseProviderId(text)).toBeUndefined())
