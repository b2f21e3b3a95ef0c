import { once } from 'node:events'
import { MessageChannel, Worker } from 'node:worker_threads'
import type { Clock } from '../../../lib/time.ts'
import { type FunctionAnswer, receiveAnswer } from './receive-answer.ts'
import type { Invocation } from './worker.ts'

export interface EnvironmentOptions {
  /** The folder that the handlers' paths are relative to. */
  root: string
  /** As in serverless.yml, such as `.build/functions/list-saml-providers.handler`. */
  handlers: readonly string[]
  /** All environment variables of the worker. */
  variables: Record<string, string>
  /** The default time-out. */
  timeoutMs: number
  /** The clock of time-outs. */
  clock: Clock
  /** Receives the output of the functions, and Lambda's lines about failures. */
  output(text: string | Buffer): void
}

export interface Environment {
  /** Whether it accepts events: not after a time-out, a crash or `retire`. */
  isOpen(): boolean
  /** @throws Error when Lambda would report one: the handler threw, timed out or crashed, or its answer is too large */
  invoke(call: Pick<Invocation, 'handler' | 'event' | 'context'>, timeoutMs?: number): Promise<FunctionAnswer>
  /** Accepts no more events, and ends after the running ones. */
  retire(): void
  /** Ends immediately; running events fail. */
  stop(): Promise<unknown>
  /** Resolves when the environment has ended. */
  ended: Promise<void>
}

/**
 * Starts an execution environment: a worker thread that loads every handler.
 *
 * Unlike Lambda's, it handles several events of all functions at once: concurrent events share what a handler keeps between
 * two events. After a time-out it accepts no more events, and ends after the running ones; Lambda's ends immediately.
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
  if (!isOpen) throw crash ?? new Error('The functions exited while they were loaded.')

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
