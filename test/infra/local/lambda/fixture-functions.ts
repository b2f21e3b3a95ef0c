import { EventEmitter, once } from 'node:events'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { restEvent } from '../../../../infra/local/gateway/rest-event.ts'
import { startFunctions } from '../../../../infra/local/lambda/functions.ts'
import { fakeClock } from '../../../support/fake-clock.ts'
import { documented } from '../gateway/rest-event.vector.ts'

export const timeoutMs = 29_000

export const fixtures = join(import.meta.dirname, 'fixtures')

/** Starts handlers of handlers.mjs, in the fixtures or another folder, with a fake clock. */
export async function fixtureFunctions(names: string[], root = fixtures) {
  const clock = fakeClock()
  const printing = new EventEmitter()
  let log = ''
  const functions = await startFunctions({
    root,
    handlers: names.map(name => `handlers.${name}`),
    variables: { TABLE_NAME: 'some-table' },
    timeoutMs,
    clock,
    output: text => {
      log += text
      printing.emit('text')
    },
  })
  onTestFinished(functions.stop)

  const invoke = (name: string, payload?: unknown) =>
    functions.invoke(
      {
        handler: `handlers.${name}`,
        functionName: `service-local-${name}`,
        memoryMb: 1024,
      },
      { ...restEvent(documented.request), ...{ payload } },
      documented.request.requestId,
    )
  return {
    ...functions,
    clock,
    log: () => log,
    /** Resolves when the text is in the log. */
    async logged(text: string) {
      while (!log.includes(text)) await once(printing, 'text')
    },
    invoke,
    /** The value that the handler returns. */
    result: async (name: string, payload?: unknown) => JSON.parse((await invoke(name, payload)).json),
    /** The body that the handler streams. */
    async stream(name: string, payload?: unknown) {
      const { stream } = await invoke(name, payload)
      if (stream === undefined) throw new Error(`${name} does not stream`)
      return stream
    },
  }
}
