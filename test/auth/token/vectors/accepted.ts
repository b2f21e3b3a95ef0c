import { audience, fromEach, good, nested, now, ofLength, type Vectors } from './fixtures.ts'

/** Tokens just within each boundary. */
export const accepted: Vectors = {
  'a token of 8192 bytes': ofLength(8192),
  'nesting of the maximum depth': good.sign({ x: nested(9) }),
  'equal names in different objects': good.sign({ a: { x: 1 }, b: [{ x: ':"' }, { x: '\\' }], x: 2 }),
  'exp a millisecond ahead': good.sign({ exp: now + 0.001 }),
  'exp at the end of 9999': good.sign({ exp: 253_402_300_799 }),
  'iat and nbf at the grace': good.sign({ iat: now + 30, nbf: now + 30 }),
  'iat and nbf absent': good.sign({ iat: undefined }),
  'iat and nbf at 0': good.sign({ iat: 0, nbf: 0 }),
  'a sub of 256 characters': good.sign({ sub: 's'.repeat(256) }),
  'one of several audiences': good.sign({ aud: ['other', audience] }),
  ...fromEach(['AT+JWT', 'application/at+jwt', 'Application/At+Jwt'], typ => [
    `typ ${typ}`,
    good.sign({}, { typ }),
  ]),
  'unknown header parameters': good.sign({}, { x5t: 'abc', cty: 'x' }),
}
