import { execFileSync } from 'node:child_process'

/** Runs a program. @returns its output @throws Error when it fails */
export function run(program: string, ...parameters: string[]): string {
  return execFileSync(program, parameters, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}

/** The names of the commands that fail. */
export function missingOf(commands: Record<string, readonly [string, ...string[]]>): string[] {
  return Object.entries(commands).flatMap(([name, command]) => {
    try {
      run(...command)
      return []
    } catch {
      return [name]
    }
  })
}
