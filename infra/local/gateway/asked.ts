import type { IncomingMessage } from 'node:http'

/** What a request asks, of whom. */
export interface Asked {
  method: string
  /** Path and query, not decoded. */
  target: string
  host: string
}

/**
 * Reads a request's first line and its `Host`. A target in absolute form, which clients send when they are told to use a proxy,
 * has the host itself.
 *
 * @see RFC 9112 §3.2.2 (a server must accept the absolute form, and ignore `Host` then)
 */
export function askedBy({ method = '', url = '', headers: { host = '' } }: IncomingMessage): Asked {
  const [, authority, rest = ''] = /^https?:\/\/([^/?]*)(.*)$/i.exec(url) ?? []
  if (authority === undefined) return { method, target: url, host }
  return { method, target: rest.startsWith('/') ? rest : `/${rest}`, host: authority }
}
