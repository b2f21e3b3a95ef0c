import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { parse } from 'yaml'
import { isoTime } from '../../../lib/domain/iso-time.ts'
import { isUserId } from '../../../lib/domain/user-id.ts'
import { projectRoot } from '../../project-root.ts'

/** Gets the name of a member that a resource has not. */
export type NoteUnknown = (name: string) => void

const { components } = parse(readFileSync(join(projectRoot, 'infra/openapi.yml'), 'utf8'))

const ajv = new Ajv2020({ allErrors: true, strict: false })
formats.default(ajv)
ajv.addFormat('date-time', (text: string) => isoTime(text) !== undefined)
ajv.addFormat('uuid', (text: string) => isUserId(text.toLowerCase()))
// A larger number would be rounded.
ajv.addFormat('int64', { type: 'number', validate: Number.isSafeInteger })
ajv.addSchema({ $id: 'api', components })
const validators = {
  provider: ajv.compile({ $ref: 'api#/components/schemas/SamlProvider' }),
  user: ajv.compile({ $ref: 'api#/components/schemas/User' }),
}

/** What infra/openapi.yml does not allow in a provider or a user; of a list, once for all its elements. */
export function faultsIn(kind: keyof typeof validators, given: object, noteUnknown: NoteUnknown): string[] {
  if (validators[kind](given)) return []
  const errors = validators[kind].errors ?? []
  const isOfUnknown = ({ keyword }: ErrorObject) => keyword === 'additionalProperties'
  for (const { params } of errors.filter(isOfUnknown)) noteUnknown(params.additionalProperty)
  const faults = errors.filter(error => !isOfUnknown(error))
  const memberOf = ({ instancePath }: ErrorObject) => instancePath.replace(/\/\d+/g, '/*')
  return [...new Set(faults.map(error => `${memberOf(error)} ${error.message}`.trim()))]
}
