import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { projectRoot } from '../project-root.ts'
import { freePort } from './listen.ts'
import { localAwsEnvironment } from '../dynamodb/client.ts'

export interface Functions {
  port: number
  /** Resolves if they ever end without being stopped, with what they said last. */
  died: Promise<string>
  stop(): Promise<void>
}

export interface FunctionsOptions {
  issuers: string
  tableName: string
  dynamodbEndpoint: string
  /** Receives what functions and emulation print. */
  output: (text: string) => void
}

const attempts = 3
const startMaxMs = 60_000
const stopMaxMs = 5000
const keptOutputMax = 4000

/** Serves the built functions with serverless-offline, in a process of its own, on a free port of this machine. */
export async function startFunctions(options: FunctionsOptions): Promise<Functions> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await tryStart(options)
    } catch (error) {
      // A port that was free a moment ago can be gone.
      if (attempt === attempts || !/EADDRINUSE/.test(String(error))) throw error
    }
  }
}

async function tryStart({
  issuers,
  tableName,
  dynamodbEndpoint,
  output,
}: FunctionsOptions): Promise<Functions> {
  const [port, lambdaPort] = [await freePort(), await freePort()]
  const child = spawn(
    process.execPath,
    [
      '--require',
      join(import.meta.dirname, 'as-api-gateway.cjs'),
      '--max-http-header-size=131072',
      createRequire(import.meta.url).resolve('serverless/bin/serverless.js'),
      ...[
        'offline',
        '--stage',
        'local',
        '--host',
        '127.0.0.1',
        '--httpPort',
        `${port}`,
        '--lambdaPort',
        `${lambdaPort}`,
      ],
      ...['--useInProcess', '--noPrependStageInUrl', '--disableCookieValidation', '--noSponsor'],
    ],
    {
      cwd: projectRoot,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        TMPDIR: process.env.TMPDIR,
        LOCAL_ISSUERS: issuers,
        LOCAL_TABLE_NAME: tableName,
        AWS_ENDPOINT_URL_DYNAMODB: dynamodbEndpoint,
        ...localAwsEnvironment,
      },
    },
  )
  let last = ''
  const ready = Promise.withResolvers<void>()
  const hear = (chunk: Buffer) => {
    output(chunk.toString())
    last = (last + chunk).slice(-keptOutputMax)
    if (last.includes('Server ready:')) ready.resolve()
  }
  child.stdout?.on('data', hear)
  child.stderr?.on('data', hear)
  const died = once(child, 'close').then(() => last.trim())
  const expiry = new AbortController()
  try {
    await Promise.race([
      ready.promise,
      died.then(said => Promise.reject(new Error(`The functions did not start:\n${said}`))),
      sleep(startMaxMs, undefined, { signal: expiry.signal }).then(() =>
        Promise.reject(new Error(`The functions did not start within ${startMaxMs / 1000} s:\n${last}`)),
      ),
    ])
  } catch (error) {
    await end(child)
    throw error
  } finally {
    expiry.abort()
  }
  return { port, died, stop: () => end(child) }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  const kill = setTimeout(() => child.kill('SIGKILL'), stopMaxMs)
  child.kill('SIGTERM')
  await exited
  clearTimeout(kill)
}
