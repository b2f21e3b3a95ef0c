import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { systemClock } from '../../lib/time.ts'
import { signer } from '../auth/token/signer.ts'
import { apiRequest } from '../support/api-request.ts'

const trusted = { issuer: 'https://issuer.example', audience: 'bench' }
const { jwks, sign } = signer({ ...trusted, nowMs: systemClock.nowMs })

/** The parameter `issuers`: the issuer of the caller. */
export const issuers = JSON.stringify([{ ...trusted, jwks }])

/** The event of a list or, with a provider's id, of a removal, by a person whom the table does not have. */
function eventOf(providerId?: number) {
  const sub = '5a3d1c9e-7b42-4f06-9d18-c0ffee000002'
  const token = sign({ sub, scope: 'saml-providers:read saml-providers:delete' })
  const headers: [string, string][] = [['Authorization', `Bearer ${token}`]]
  const removal = { method: 'DELETE', resource: '/saml/{id}', pathParameters: { id: String(providerId) } }
  return apiRequest({ headers, ...(providerId !== undefined && removal) }, systemClock.nowMs())
}

/**
 * Starts a built function in a process of its own, and waits until it is loaded.
 *
 * @param until ends the process
 * @returns has a list, or the removal of each of these providers, answered with so many resources; returns milliseconds of
 * CPU time per answer, the first time with those of loading the function
 */
export async function startFunction(file: string, env: NodeJS.ProcessEnv, until: AsyncDisposableStack) {
  const child = fork(join(import.meta.dirname, 'function-process.ts'), [file], {
    env,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  until.defer(() => child.disconnect())
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`${file} ended with ${code}.`)))
  ended.catch(() => {})
  const next = async () => (await Promise.race([once(child, 'message'), ended]))[0]
  await next()

  return async (providerIds: (number | undefined)[], resources: number): Promise<number> => {
    child.send(providerIds.map(eventOf))
    const { cpuMs, bodies } = await next()
    for (const body of bodies) {
      const [listed] = Object.values<unknown[]>(JSON.parse(body).data ?? {})
      if (listed?.length !== resources)
        throw new Error(`${file} answered ${body.slice(0, 500)}, not ${resources} resources.`)
    }
    return cpuMs / providerIds.length
  }
}
