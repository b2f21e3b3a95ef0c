import { join } from 'node:path'
import { endpointOf } from './aws.ts'
import { faultMark } from './settings.ts'

const pathStyle = join(import.meta.dirname, 's3-path-style.cjs')

/** Node's options for the framework. @throws Error of one sentence when AWS_ENDPOINT_URL is not a URL */
export const preloads = () => (endpointOf('S3') === undefined ? [] : ['--require', pathStyle])

/**
 * The command's options in the form of the framework, which refuses an empty value but accepts a space, and reads only the
 * first line of a value.
 */
export const frameworkOptions = (values: object): string[] =>
  Object.entries(values).flatMap(([name, value]) => {
    const option = `--${name.replace(/[A-Z]/g, '-$&').toLowerCase()}`
    if (value === undefined) return []
    if (value === true) return [option]
    const texts = [value].flat().map(text =>
      String(text)
        .replace(/^\w+=$/, '$& ')
        .replaceAll('\n', ' '),
    )
    return texts.flatMap(text => [option, text])
  })

/** Our own sentence in the framework's output of a failure; without one, the whole output. */
export function faultIn(output: string): string {
  const line = output.split('\n').find(one => one.includes(faultMark))
  return line?.slice(line.indexOf(faultMark)).replace(/,$/, '') ?? output
}
