import { once } from 'node:events'
import { MessageChannel, Worker } from 'node:worker_threads'
import type { Clock } from '../../../lib/time.ts'
import { type FunctionAnswer, receiveAnswer } from './receive-answer.ts'
import type { Invocation } from './worker.ts'

export interface EnvironmentOptions {
  /** The folder below which the handlers lie. */
  root: string
  /** As serverless.yml names them, such as `.build/functions/list-saml-providers.handler`. */
  handlers: readonly string[]
  /** The environment variables; the worker has no others. */
  variables: Record<string, string>
  /** Of a function that has none of its own. */
  timeoutMs: number
  /** Measures the time-out. */
  clock: Clock
  /** Receives what the functions print, and Lambda's lines about failures. */
  output(text: string | Buffer): void
}

export interface Environment {
  /** Whether it takes events: not after a time-out, a crash or `retire`. */
  isOpen(): boolean
  /** @throws Error where Lambda reports one: the handler threw, the time is over, the environment crashed, the answer is too large */
  invoke(call: Pick<Invocation, 'handler' | 'event' | 'context'>, timeoutMs?: number): Promise<FunctionAnswer>
  /** Takes no more events, and ends when those under way are answered. */
  retire(): void
  /** Ends at once: what is under way fails. */
  stop(): Promise<unknown>
  /** Resolves when it has ended, for whatever reason. */
  ended: Promise<void>
}

/**
 * An execution environment: a worker thread that has loaded every handler.
 *
 * Unlike Lambda's, it takes several events at once, for all functions: what a handler keeps between two events is here
 * shared by events that run side by side. After a time-out Lambda's environment ends; this one takes no more events,
 * and ends when the others that are under way are answered.
 *
 * @throws Error when a handler cannot be loaded
 */
export async function startEnvironment(options: EnvironmentOptions): Promise<Environment> {
  const { root, handlers, variables, clock, output } = options
  const worker = new Worker(new URL('worker.ts', import.meta.url), {
    workerData: { root, handlers },
    env: variables,
    execArgv: [],
    stdout: true,
    stderr: true,
  })
  worker.stdout.on('data', output)
  worker.stderr.on('data', output)

  const underWay = new Set<ReturnType<typeof receiveAnswer>>()
  let isOpen = true
  let crash: Error | undefined
  worker.on('error', error => {
    crash = error
  })
  const ended = new Promise<void>(resolve => worker.on('exit', () => resolve())).then(() => {
    isOpen = false
    for (const { fail } of underWay) fail(crash?.stack ?? 'The environment ended')
  })
  const endIfIdle = () => !isOpen && underWay.size === 0 && worker.terminate()
  const close = () => {
    isOpen = false
    endIfIdle()
  }

  await Promise.race([once(worker, 'message'), ended])
  if (!isOpen) throw crash ?? new Error('The functions ended the process that loaded them.')

  return {
    isOpen: () => isOpen,
    invoke({ handler, event, context }, timeoutMs = options.timeoutMs) {
      const { port1, port2: port } = new MessageChannel()
      const receiving = receiveAnswer(port1)
      const deadlineMs = clock.nowMs() + timeoutMs
      const cancel = clock.schedule(deadlineMs, () => {
        isOpen = false
        receiving.fail(`Task timed out after ${(timeoutMs / 1000).toFixed(2)} seconds`)
      })
      underWay.add(receiving)
      receiving.ended.then(fault => {
        if (fault !== undefined)
          output(`${new Date(clock.nowMs()).toISOString()} ${context.awsRequestId} ${fault}\n`)
        cancel()
        underWay.delete(receiving)
        endIfIdle()
      })
      worker.postMessage({ handler, event, context, deadlineMs, port } satisfies Invocation, [port])
      return receiving.answer
    },
    retire: close,
    stop: () => worker.terminate(),
    ended,
  }
}
