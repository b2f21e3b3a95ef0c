import { randomUUID } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from 'jose'
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
  const jwk = folder === undefined ? await newKey() : await keptKey(folder)
  const key = await importJWK(jwk, algorithm)
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
        .sign(key)
    },
  }
}

async function newKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair(algorithm, { modulusLength: 2048, extractable: true })
  return { ...(await exportJWK(privateKey)), kid: randomUUID() }
}

/** Two commands may create the first key at the same time: the first link wins, and both read that file. */
async function keptKey(folder: string): Promise<JWK> {
  const path = join(folder, 'issuer.json')
  const kept = readKey(path)
  if (kept !== undefined) return kept
  mkdirSync(folder, { recursive: true })
  const draft = `${path}.${randomUUID()}.draft`
  writeFileSync(draft, `${JSON.stringify(await newKey())}\n`, { mode: 0o600 })
  try {
    linkSync(draft, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft)
  }
  return readKey(path) as JWK
}

function readKey(path: string): JWK | undefined {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  try {
    return JSON.parse(text)
  } catch {
    throw new Error(`${path} does not contain a key: delete it, and the next start makes a new one.`)
  }
}
