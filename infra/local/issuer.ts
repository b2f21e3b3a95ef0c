import { createPrivateKey, generateKeyPair, randomUUID } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { type JWK, SignJWT } from 'jose'
import { administratorId } from '../sample-data/sample-data.ts'

export interface TokenOptions {
  /** The id of the calling user; default: the sample administrator. */
  sub?: string
  /** Space-separated; default: both scopes. */
  scope?: string
  /** Default: one hour. */
  expiresInSeconds?: number
}

export interface TokenIssuer {
  /** The value of ISSUERS for a service that trusts this issuer. */
  trust: string
  tokenFor(options?: TokenOptions): Promise<string>
}

const issuer = 'https://issuer.local.example'
const audience = 'identity-provider-administration'
const algorithm = 'RS256'
const hourSeconds = 3600

/**
 * Opens the local token issuer.
 *
 * @param folder stores the key pair, so that tokens remain valid after a restart and can be made before the first start;
 *   without it every issuer has a new key pair
 */
export async function openIssuer(folder?: string): Promise<TokenIssuer> {
  const { privateKey, jwk } = await (folder === undefined ? newKey() : keptKey(folder))
  const { kty, n, e, kid } = jwk

  return {
    trust: JSON.stringify([
      { issuer, audience, jwks: { keys: [{ kty, n, e, kid, alg: algorithm, use: 'sig' }] } },
    ]),
    tokenFor: ({
      sub = administratorId,
      scope = 'saml-providers:read saml-providers:delete',
      expiresInSeconds = hourSeconds,
    } = {}) => {
      const nowSeconds = Math.floor(Date.now() / 1000)
      return new SignJWT({ scope, client_id: 'local-command-line' })
        .setProtectedHeader({ alg: algorithm, typ: 'at+jwt', kid: String(kid) })
        .setIssuer(issuer)
        .setSubject(sub)
        .setAudience(audience)
        .setJti(randomUUID())
        .setIssuedAt(nowSeconds)
        .setExpirationTime(nowSeconds + expiresInSeconds)
        .sign(privateKey)
    },
  }
}

async function newKey() {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 })
  return { privateKey, jwk: { ...privateKey.export({ format: 'jwk' }), kid: randomUUID() } }
}

async function keptKey(folder: string) {
  const path = join(folder, 'issuer.json')
  if (!existsSync(path)) await writeKey(path)
  const text = readFileSync(path, 'utf8')
  try {
    const jwk: JWK = JSON.parse(text)
    return { privateKey: createPrivateKey({ key: jwk, format: 'jwk' }), jwk }
  } catch {
    throw new Error(`${path} does not contain a key: delete it, and the next start makes a new one.`)
  }
}

/** Two commands may create the first key at the same time: the first link wins. */
async function writeKey(path: string): Promise<void> {
  mkdirSync(dirname(path), { recursive: true })
  const draft = `${path}.${randomUUID()}.draft`
  try {
    writeFileSync(draft, `${JSON.stringify((await newKey()).jwk)}\n`, { mode: 0o600 })
    linkSync(draft, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft, { force: true })
  }
}
