import { localAws } from '../../dynamodb/client.ts'
import type { DeployedFunction } from '../../serverless/service-definition.ts'
import { type Environment, type EnvironmentOptions, startEnvironment } from './environment.ts'
import type { FunctionAnswer } from './receive-answer.ts'

export interface Functions {
  /**
   * @param timeoutMs milliseconds; default: the time-out of the endpoints
   * @throws Error when Lambda would report one
   */
  invoke(
    deployed: DeployedFunction,
    event: object,
    requestId: string,
    timeoutMs?: number,
  ): Promise<FunctionAnswer>
  /**
   * Loads the handlers again. Running events end with the handlers that they began with.
   *
   * @throws Error when a handler cannot be loaded; the last ones stay
   */
  reload(): Promise<void>
  stop(): Promise<void>
}

/**
 * Runs the functions of serverless.yml in one environment. It is replaced after a crash or a time-out, and by `reload`.
 *
 * @throws Error when a handler cannot be loaded
 */
export async function startFunctions(options: EnvironmentOptions): Promise<Functions> {
  const running = new Set<Environment>()
  const start = async () => {
    const environment = await startEnvironment(options)
    running.add(environment)
    environment.ended.then(() => running.delete(environment))
    return environment
  }
  let current = start()
  await current

  return {
    async invoke({ handler, functionName, memoryMb }, event, requestId, timeoutMs) {
      let seen = current
      let environment = await seen.catch(() => undefined)
      // As on Lambda, the first event after a crash starts the next environment; later events wait for it.
      while (!environment?.isOpen()) {
        if (current === seen) current = start()
        seen = current
        environment = await seen
      }
      const context = contextOf(functionName, memoryMb, requestId)
      return environment.invoke({ handler, event: JSON.stringify(event), context }, timeoutMs)
    },
    async reload() {
      const next = await start()
      const previous = await current.catch(() => undefined)
      current = Promise.resolve(next)
      previous?.retire()
    },
    async stop() {
      await Promise.all([...running].map(environment => environment.stop()))
    },
  }
}

/** The handler's context; the worker adds the remaining time. */
const contextOf = (functionName: string, memoryMb: number, requestId: string) => ({
  functionName,
  functionVersion: '$LATEST',
  invokedFunctionArn: `arn:aws:lambda:${localAws.region}:000000000000:function:${functionName}`,
  memoryLimitInMB: String(memoryMb),
  awsRequestId: requestId,
  logGroupName: `/aws/lambda/${functionName}`,
  logStreamName: 'local',
  callbackWaitsForEmptyEventLoop: true,
})
