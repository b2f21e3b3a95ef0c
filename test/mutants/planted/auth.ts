import type { Mistake } from '../plant.ts'

/** Mistakes in the verification of tokens, with the tests that find them. */
// biome-ignore format: one mistake a line
export const inAuth: readonly Mistake[] = [
  // A token that is forged, expired, or meant for others.
  ['lib/auth/token/signing-key.ts', 'return false // the library', 'return true // the library', 'auth/verifier'],
  ['lib/auth/token/claims.ts', 'exp * 1000 > nowMs', 'exp * 1000 > nowMs - 30_000', 'auth/verifier'],
  ['lib/auth/token/claims.ts', 'iat * 1000 <= latestMs', 'iat > 0', 'auth/verifier'],
  ['lib/auth/token/claims.ts', 'value >= 0 && value <= secondsMax', 'value >= 0', 'auth/verifier'],
  ['lib/auth/token/claims.ts', 'audience.some(each => named.includes(each))', 'audience.length > 0', 'auth/verifier'],
  ['lib/auth/token/claims.ts', 'token_use === issuer.tokenUse', "token_use !== ''", 'auth/verifier'],
  ['lib/auth/token/claims.ts', "assertToken(!Object.hasOwn(claims, 'cnf'), 'bound to a key')", '', 'auth/verifier'],
  ['lib/auth/token/header.ts', "issuer.algorithms.find(each => each === alg)", "alg === 'none' ? undefined : alg", 'auth/verifier'],
  ['lib/auth/token/header.ts', "['crit', 'b64', 'zip',", "['zip',", 'auth/verifier'],
  ['lib/auth/token/header.ts', "mediaType(typ) === mediaType(wanted ?? 'JWT')", "typ !== ''", 'auth/verifier'],
  ['lib/auth/token/strict-json.ts', 'membersIn(value, depthMax) === membersWritten(text)', 'membersIn(value, depthMax) <= membersWritten(text)', 'auth/verifier'],
  ['lib/auth/token/compact.ts', "part !== '' && bytes.toString('base64url') === part", "part !== ''", 'auth/verifier'],
  // A right that the token does not give.
  ['lib/auth/token/identity.ts', "isSpaceSeparated && typeof claim === 'string'", "typeof claim === 'string' && (isSpaceSeparated || claim !== '')", 'auth/verifier'],
  // A key that is weak, not for signatures, withdrawn, or too old.
  ['lib/auth/keys/usable-keys.ts', 'bits >= rsaBitsMin && e >= exponentMin', 'bits >= rsaBitsMin', 'auth/keys/usable-keys'],
  ['lib/auth/keys/usable-keys.ts', 'fitting.length === 1 ? fitting[0] : undefined', 'fitting[0]', 'auth/keys/usable-keys'],
  ['lib/auth/keys/usable-keys.ts', "(use === undefined || use === 'sig')", "use !== ''", 'auth/keys/usable-keys'],
  ['lib/auth/keys/key-set.ts', 'const key = keyYoungerThan(keysMaxAgeSeconds, name)', 'const key = keyYoungerThan(issuer.keysStaleMaxSeconds, name)', 'auth/keys/key-set'],
  ['lib/auth/keys/key-set.ts', 'const key = keyYoungerThan(keysMaxSeconds, name)', 'const key = known.keys.get(name)', 'auth/keys/key-set'],
  ['lib/auth/keys/key-set.ts', 'Math.min(longPauseMs, keysMaxAgeSeconds * 1000)', 'longPauseMs', 'auth/keys/pauses'],
  ['lib/auth/keys/key-set.ts', 'if (pause !== undefined && isFor(callerMs, pause)) return keyInPause(name, pause)', '', 'auth/keys/pauses'],
  ['lib/auth/keys/key-set.ts', 'Math.ceil((beganAtMs + lengthMs - clock.nowMs()) / 1000)', '55', 'auth/keys/pauses'],
  ['lib/auth/keys/key-set.ts', 'if (running === undefined) return fetch', 'return fetch', 'auth/keys/key-set'],
  ['lib/auth/keys/key-set.ts', '|| callerMs < enoughMs', '', 'auth/keys/abandoned'],
  ['lib/auth/keys/key-set.ts', 'Math.min(fetchMaxMs, callerMs + stepMs)', 'callerMs + stepMs', 'auth/keys/abandoned'],
  ['lib/auth/keys/key-set.ts', 'keysMaxSeconds: keysMaxAgeSeconds,\n      enoughMs', 'keysMaxSeconds: staleMaxSeconds,\n      enoughMs', 'auth/keys/abandoned'],
  ['lib/auth/keys/key-set.ts', 'if (error === noUsableKey) staleMaxSeconds = keysMaxAgeSeconds', '', 'auth/keys/pauses'],
  ['lib/auth/keys/key-set.ts', 'staleMaxSeconds = issuer.keysStaleMaxSeconds\n', '\n', 'auth/keys/pauses'],
  ['lib/auth/keys/key-set.ts', 'passedMs >= 0 && ', '', 'auth/keys/key-set'],
  ['lib/auth/keys/fetch-keys.ts', 'if (keys.size === 0) throw noUsableKey', '', 'auth/keys/pauses'],
  ['lib/auth/keys/discovery.ts', '|| found.issuer !== issuer', '', 'auth/keys/fetching'],
  ['lib/auth/keys/fetch-json.ts', 'response.statusCode !== 200', 'response.statusCode === 404', 'auth/keys/fetching'],
]
