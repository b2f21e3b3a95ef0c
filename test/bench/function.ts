import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Sample } from './function-process.ts'

/** Starts a built function in a process of its own, and waits until it is loaded. */
export async function startFunction(file: string, env: NodeJS.ProcessEnv) {
  const child = fork(join(import.meta.dirname, 'function-process.ts'), [file], {
    env,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    serialization: 'advanced',
  })
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`${file} ended with ${code}.`)))
  ended.catch(() => {})
  const next = async () => {
    const [message] = await Promise.race([once(child, 'message'), ended])
    return message
  }
  await next()
  return {
    /**
     * Has events answered one after another.
     *
     * @param resources how many each answer must have
     * @returns milliseconds of CPU time per event; the first time with those of loading the function
     */
    async answer(events: object[], resources: number): Promise<number> {
      child.send(events)
      const { cpuMs, bodies }: Sample = await next()
      for (const body of bodies) {
        const [listed] = Object.values<unknown[]>(JSON.parse(body).data ?? {})
        if (listed?.length !== resources)
          throw new Error(`${file} answered ${body.slice(0, 500)}, not ${resources} resources.`)
      }
      return cpuMs / events.length
    },
    stop: () => child.disconnect(),
  }
}
