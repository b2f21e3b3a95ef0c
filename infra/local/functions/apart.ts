import { AsyncLocalStorage, createHook } from 'node:async_hooks'
import { subscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { sep } from 'node:path'
import { inspect } from 'node:util'
import { projectRoot } from '../../project-root.ts'

/** What belongs to the functions of one build, in the process that they share with the stack. */
interface Apart {
  output(text: string | Uint8Array): void
  sockets: Set<Socket>
}

/** Tells by the asynchronous context which code runs; undefined for the stack's own. */
const running = new AsyncLocalStorage<Apart>()

/** Calls the stack's own code from wherever it is. */
const inStack = AsyncLocalStorage.snapshot()

for (const stream of [process.stdout, process.stderr]) {
  const { write } = stream
  stream.write = (text: string | Uint8Array, ...more: unknown[]) => {
    const apart = running.getStore()
    if (apart === undefined) return Reflect.apply(write, stream, [text, ...more])
    apart.output(text)
    return true
  }
}

subscribe('net.client.socket', message => {
  const { socket } = message as { socket: Socket }
  const sockets = running.getStore()?.sockets
  sockets?.add(socket)
  socket.once('close', () => sockets?.delete(socket))
})

/** The timers of all functions, by the ids of their asynchronous resources. */
const timers = new Map<number, { timer: NodeJS.Timeout; own: Apart }>()

createHook({
  init(id, type, _, resource) {
    const own = running.getStore()
    if (type === 'Timeout' && own !== undefined) timers.set(id, { timer: resource as NodeJS.Timeout, own })
  },
  destroy: id => void timers.delete(id),
}).enable()

/**
 * Keeps the functions of one build apart from the stack, whose process they run in.
 *
 * @param output gets what they print
 * @returns `run` calls their code, and `end` closes the connections that they have opened and clears the timers that
 *   they have set
 */
export function apart(output: Apart['output']) {
  const own: Apart = { output, sockets: new Set() }
  return {
    run: <T>(code: () => T): T => running.run(own, code),
    end: () => {
      for (const socket of own.sockets) socket.destroy()
      for (const { timer, own: owner } of timers.values()) if (owner === own) clearTimeout(timer)
    },
  }
}

/** The same function, which counts as the stack's own code wherever it is called. */
export const outside = AsyncLocalStorage.bind

/**
 * Reports an error that nothing has caught, if it comes from the functions: one line with its place, and its stack in their
 * log. On AWS, it would end no more than one environment of them.
 *
 * @returns false for an error of the stack itself, which is not reported
 */
export function reportIfOfFunctions(error: unknown, log: (line: string) => void): boolean {
  const own = running.getStore()
  if (own === undefined) return false
  const { message, stack = message } = error instanceof Error ? error : new Error(inspect(error))
  own.output(`${stack}\n`)
  const [, place = 'functions'] =
    /(?: |\()((?:functions|lib)[\\/].+?:\d+:\d+)/.exec(stack.replaceAll(projectRoot + sep, '')) ?? []
  inStack(log, `failed     ${place}: ${message.split('\n', 1)}`)
  return true
}
