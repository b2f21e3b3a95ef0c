import { fork } from 'node:child_process'
import { once } from 'node:events'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { buildFunctions } from '../../infra/build.ts'
import { localAwsEnvironment } from '../../infra/dynamodb/client.ts'
import { projectRoot } from '../../infra/project-root.ts'
import { localSettings } from '../../infra/serverless/service-definition.ts'
import { systemClock } from '../../lib/time.ts'
import { signer } from '../auth/token/signer.ts'
import { apiRequest } from '../support/api-request.ts'

const trusted = { issuer: 'https://issuer.example', audience: 'bench' }
const { jwks, sign } = signer({ ...trusted, nowMs: systemClock.nowMs })
/** What is built stays out of the tree of sources. */
export const plainRoot = join(projectRoot, '.build', 'bench')

/** Builds ours and the plain service in the same way. */
export async function buildBoth(): Promise<void> {
  await cp(join(import.meta.dirname, 'plain'), plainRoot, { recursive: true })
  await Promise.all([buildFunctions(), buildFunctions(plainRoot)])
}

type Endpoint = 'list-saml-providers' | 'delete-saml-provider'
/** The built module of an endpoint. */
export const builtOf = (endpoint: Endpoint, root: string) =>
  join(root, '.build', 'functions', `${endpoint}.mjs`)

/** The environment of a function, on either side. */
export const environment = (tableName: string, endpoint: string) => ({
  ...localAwsEnvironment,
  AWS_ENDPOINT_URL_DYNAMODB: endpoint,
  ...localSettings({ tableName, issuers: JSON.stringify([{ ...trusted, jwks }]) }).environment,
  ISSUER: trusted.issuer,
  AUDIENCE: trusted.audience,
  JWKS: JSON.stringify(jwks),
})

/** The subjects of tokens: a person is looked up in the table. */
export const subjects = { machine: 'nightly-job', person: '5a3d1c9e-7b42-4f06-9d18-c0ffee000002' }

/** The event of a list or, with a provider's id, of a removal, by a caller who may do both. */
export function eventOf(providerId?: number, sub = subjects.machine) {
  const token = sign({ sub, scope: 'saml-providers:read saml-providers:delete' })
  const headers: [string, string][] = [['Authorization', `Bearer ${token}`]]
  const removal = { method: 'DELETE', resource: '/saml/{id}', pathParameters: { id: String(providerId) } }
  return apiRequest({ headers, ...(providerId !== undefined && removal) }, systemClock.nowMs())
}

/** What some requests took, and the bodies of their answers. */
interface Sample {
  cpuMs: number
  bodies: string[]
}

/** Starts ours and the plain service, each in a process of its own. */
export async function startSides(endpoint: Endpoint, tableName: string, engine: string) {
  const env = environment(tableName, engine)
  return {
    ours: await startService(builtOf(endpoint, projectRoot), env),
    plain: await startService(builtOf(endpoint, plainRoot), env),
  }
}

/** Starts a module's handler in a process of its own. */
async function startService(module: string, env: NodeJS.ProcessEnv) {
  const service = fork(join(import.meta.dirname, 'service-process.ts'), [module], {
    env,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    serialization: 'advanced',
  })
  service.on('exit', code => {
    if (code !== 0) throw new Error(`${module} ended with ${code}.`)
  })
  await once(service, 'message')
  return {
    /** Has the events answered one after another. @throws Error for an answer that is not a 200 */
    async answer(events: object[]): Promise<Sample> {
      service.send(events)
      const [sample]: Sample[] = await once(service, 'message')
      for (const body of sample?.bodies ?? [])
        if (!body.startsWith('{"data":')) throw new Error(`${module} answered ${body}.`)
      return sample as Sample
    },
    stop: () => service.disconnect(),
  }
}
