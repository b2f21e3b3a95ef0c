import { existsSync, readFileSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import * as v from 'valibot'
import { parse } from 'yaml'
import { projectRoot } from '../project-root.ts'
import { asText } from './settings.ts'

const text = v.pipe(v.string('must be a text'), v.nonEmpty('must not be empty'))

const schema = v.strictObject(
  {
    region: v.optional(text),
    awsProfile: v.optional(text),
    params: v.optional(v.record(v.string(), v.unknown(), 'must be a map of NAME: VALUE'), {}),
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
 * @throws Error of one sentence when the file cannot be used
 */
export function withStageFile<V extends StageValues>({ stageFile, ...values }: V): Omit<V, 'stageFile'> {
  const file = resolve(projectRoot, stageFile ?? `infra/stages/${values.stage}.yml`)
  if (stageFile === undefined && !existsSync(file)) return values
  const { region, awsProfile, params } = readStageFile(file)
  const param = Object.entries(params).map(([name, value]) => `${name}=${asText(value)}`)
  return {
    ...values,
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
    return parse(content)
  } catch (error) {
    throw new Error(`${name} is not YAML: ${(error as Error).message.split('\n', 1)[0]}`)
  }
}
