import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { parse } from 'yaml'
import { projectRoot } from '../project-root.ts'
import { includedEntries, unknownParameters } from './service-definition.ts'

const params = v.record(v.string(), v.unknown(), 'must be a map of NAME: VALUE')

/** The tags that every stack has; one of the same name in a stage's file would be lost. */
const tagsOfService = ['service', 'stage']
const tagName = v.pipe(
  v.string(),
  v.check(name => !tagsOfService.includes(name), 'is set by the service: leave it out'),
)

const schema = v.strictObject(
  {
    params: v.optional(params, {}),
    tags: v.optional(v.record(tagName, v.string('must be a text'), 'must be a map of NAME: TEXT'), {}),
    // Only named here: serverless.yml includes them, and the framework checks them.
    ...Object.fromEntries(includedEntries.map(name => [name, v.optional(v.unknown())])),
  },
  'must be a map',
)

interface StageFile {
  /** The stage's parameters. */
  params: Record<string, unknown>
  /** Tags of the stack, beside those of the service. */
  tags: Record<string, string>
  faults: string[]
}

/** Reads infra/stages/STAGE.yml as far as serverless.yml cannot include it; a stage need not have a file. */
export function readStageFile(stage: string): StageFile {
  const name = `infra/stages/${stage}.yml`
  const file = join(projectRoot, name)
  return parseStageFile(name, existsSync(file) ? readFileSync(file, 'utf8') : '')
}

/** @internal */
export function parseStageFile(name: string, text: string): StageFile {
  const content: unknown = parse(text, { logLevel: 'error' }) ?? {} // no warnings about !Sub
  const parsed = v.safeParse(schema, content)
  const readable = v.safeParse(v.object({ params }), content) // their faults are named with those of the file
  const own = readable.success ? readable.output.params : {}
  const faults = [...(parsed.issues ?? []).map(faultOf), ...unknownParameters(Object.keys(own))]
  const tags = parsed.success ? parsed.output.tags : {}
  return { params: own, tags, faults: faults.map(fault => `${name}: ${fault}`) }
}

function faultOf(issue: v.InferIssue<typeof schema>): string {
  const path = v.getDotPath(issue)
  const isUnknown = issue.type === 'strict_object' && path !== null
  return isUnknown ? `unknown entry ${path}` : `${path ?? 'it'} ${issue.message}`
}
