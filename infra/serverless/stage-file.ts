import { existsSync, readFileSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import * as v from 'valibot'
import { parse } from 'yaml'
import { projectRoot } from '../project-root.ts'
import { asText } from './settings.ts'

const text = v.pipe(v.string('must be a text'), v.nonEmpty('must not be empty'))

const map = v.record(v.string(), v.unknown(), 'must be a map of NAME: VALUE')

const schema = v.strictObject(
  {
    region: v.optional(text),
    awsProfile: v.optional(text),
    params: v.optional(map, {}),
    // Only checked here: withOverlay reads them.
    provider: v.optional(map),
    resources: v.optional(map),
  },
  'must be a map',
)

export interface StageValues {
  stage: string
  stageFile?: string | undefined
  region?: string | undefined
  awsProfile?: string | undefined
  param?: string[] | undefined
}

/**
 * The values of a command's options, completed by the stage's file: an option overrides its line in the file.
 *
 * @param values `stageFile` is the file's path; without it the file of the stage's name is read if it exists
 * @returns `stageFile` is the path of the file that was read
 * @throws Error of one sentence when the file cannot be used
 */
export function withStageFile<V extends StageValues>(values: V): V {
  const file = resolve(projectRoot, values.stageFile ?? `infra/stages/${values.stage}.yml`)
  if (values.stageFile === undefined && !existsSync(file)) return values
  const { region, awsProfile, params } = readStageFile(file)
  const param = Object.entries(params).map(([name, value]) => `${name}=${asText(value)}`)
  return {
    ...values,
    stageFile: file,
    region: values.region ?? region,
    awsProfile: values.awsProfile ?? awsProfile,
    param: [...param, ...(values.param ?? [])], // the framework takes the last value of a name
  }
}

function readStageFile(file: string) {
  const name = relative(projectRoot, file)
  const parsed = v.safeParse(schema, read(file, name) ?? {})
  if (parsed.success) return parsed.output
  const faults = parsed.issues.map(issue => {
    const path = v.getDotPath(issue)
    const isUnknown = issue.type === 'strict_object' && path !== null
    return isUnknown ? `unknown entry ${path}` : `${path ?? 'it'} ${issue.message}`
  })
  throw new Error(`${name}: ${faults.join('; ')}; see infra/stages/example.yml.`)
}

function read(file: string, name: string): unknown {
  const content = readFileSync(file, 'utf8')
  try {
    return parse(content, { logLevel: 'error' }) // no warnings about !Sub
  } catch (error) {
    throw new Error(`${name} is not YAML: ${(error as Error).message.split('\n', 1)[0]}`)
  }
}
