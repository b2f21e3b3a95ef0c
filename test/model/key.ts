import type { Process, State } from './state.ts'

/** A state as a text, independent of the order of its processes: two clients are interchangeable. */
export function keyOf(state: State): string {
  let key = ''
  for (const name in state) {
    if (name === 'processes') continue
    const value = state[name as keyof State]
    key += typeof value === 'object' ? `${Object.values(value).join()};` : `${value},`
  }
  return `${key}|${state.processes.map(processKey).sort().join('|')}`
}

/** The members of every process of a kind have the same order. */
const processKey = (process: Process) => Object.values(process).join()
