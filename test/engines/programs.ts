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

/** Calls curl, which can omit Accept and Accept-Encoding, unlike fetch. */
export function curl(url: string, method: string, headers: Record<string, string>) {
  const given = Object.entries(headers).flatMap(([name, value]) => ['--header', `${name}: ${value}`.trim()])
  const output = execFileSync(
    'curl',
    ['--silent', '--show-error', '--max-time', '60', '--include', '--request', method, ...given, url],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  )
  const end = output.indexOf('\r\n\r\n')
  const [statusLine = '', ...lines] = output.subarray(0, end).toString().split('\r\n')
  return {
    status: Number(statusLine.split(' ')[1]),
    headers: Object.fromEntries(
      lines.map(line => line.split(/: (.*)/)).map(([name = '', value = '']) => [name.toLowerCase(), value]),
    ),
    body: output.subarray(end + 4),
  }
}
