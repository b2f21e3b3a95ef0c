import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** Asks a person at the terminal. @returns the line that was typed; empty when there is none */
export async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  terminal.setPrompt(question)
  terminal.prompt()
  const [line] = await Promise.race([once(terminal, 'line'), once(terminal, 'close')])
  terminal.close()
  if (line === undefined) process.stderr.write('\n')
  return line?.trim() ?? ''
}
