import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * Packages a copy of the project with the framework.
 *
 * @param options names and values, such as `['stage', 'dev']`
 * @returns what the framework printed
 * @throws Error with what it printed
 */
export async function writePackage(
  folder: string,
  options: [name: string, value: string][],
): Promise<string> {
  const command = ['node_modules/serverless/bin/serverless.js', 'package']
  const given = options.map(([name, value]) => `--${name}=${value}`)
  const { stdout, stderr } = await run(process.execPath, [...command, ...given], { cwd: folder }).catch(
    ({ stdout, stderr }) => Promise.reject(new Error(stdout + stderr)),
  )
  return stdout + stderr
}
