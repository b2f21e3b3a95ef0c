import { randomUUID } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from 'jose'
import { administratorId } from '../sample-data/users.ts'

export interface TokenOptions {
  /** The caller; the sample administrator by default. */
  sub?: string
  /** Space-separated; both scopes by default. */
  scope?: string
  /** One hour by default. */
  expiresInSeconds?: number
}

export interface TokenIssuer {
  /** The ISSUERS of a service that trusts it. */
  trust: string
  tokenFor(options?: TokenOptions): Promise<string>
}

const issuer = 'https://issuer.local.example'
const audience = 'identity-provider-administration'
const algorithm = 'RS256'
const hourSeconds = 3600

/**
 * @param folder keeps the key pair, so that a token outlives a restart and can be made before the first start;
 *   without it the keys are forgotten
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

/** Two commands may want the first key at once: whoever links its file first wins, and both read that one. */
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
    throw new Error(`${path} is not a key; delete it and a new one is made.`)
  }
}
