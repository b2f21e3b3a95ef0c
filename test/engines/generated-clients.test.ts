import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { execFile } from 'node:child_process'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { startLocalStack } from '../../infra/local/stack.ts'
import { projectRoot } from '../../infra/project-root.ts'
import { missingOf, run } from './programs.ts'

const { OAPI_CODEGEN = 'oapi-codegen', OPENAPI_GENERATOR = 'openapi-generator-cli.jar' } = process.env
const missing = missingOf({
  'oapi-codegen (OAPI_CODEGEN)': [OAPI_CODEGEN, '--version'],
  'the jar of openapi-generator-cli (OPENAPI_GENERATOR)': ['java', '-jar', OPENAPI_GENERATOR, 'version'],
  Go: ['go', 'version'],
})
if (missing.length > 0)
  process.stdout.write(
    `test/engines/generated-clients.test.ts is skipped: ${missing.join(', ')} is missing.\n`,
  )

const description = join(projectRoot, 'infra', 'openapi.yml')
const goModule = 'module client\n\ngo 1.24\n\nrequire github.com/oapi-codegen/runtime v1.8.0\n'

/** Write the source of a client to the folder. */
const generators: Record<string, (folder: string) => void> = {
  'oapi-codegen': folder => {
    const target = join(folder, 'client.go')
    run(OAPI_CODEGEN, '-generate', 'types,client', '-package', 'main', '-o', target, description)
    writeFileSync(join(folder, 'go.mod'), goModule)
  },
  'openapi-generator': folder => {
    const options = ['-g', 'go', '-o', folder, '--additional-properties', 'packageName=main']
    run('java', '-jar', OPENAPI_GENERATOR, 'generate', '-i', description, ...options)
  },
}

/** JSON in which equal times are equal texts: Go omits the zeros at the end of milliseconds. */
const read = (json: string): unknown =>
  JSON.parse(json, (_, value) =>
    typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) ? new Date(value).toISOString() : value,
  )

describe.skipIf(missing.length > 0)('a client', { timeout: 300_000 }, () => {
  test.each(Object.keys(generators))(
    'that %s generates lists, removes, and reads each value of the answers',
    async name => {
      const folder = mkdtempSync(join(tmpdir(), 'client-'))
      onTestFinished(() => rmSync(folder, { recursive: true }))
      generators[name]?.(folder)
      for (const file of ['main.go', `${name}.go`])
        cpSync(join(import.meta.dirname, 'clients', file), join(folder, file))
      const client = join(folder, 'client')
      run('go', 'build', '-C', folder, '-mod=mod', '-o', client, '.')

      const dynamodbEndpoint = inject('dynamodbEndpoint')
      const stack = await startLocalStack({ port: 0, log: () => {}, dynamodbEndpoint })
      onTestFinished(() => stack.stop())
      const token = await stack.tokenFor()
      const headers = { authorization: `Bearer ${token}` }
      const get = async (path: string, method: string) =>
        read(await (await fetch(stack.url + path, { method, headers })).text())
      const list = await get('/api/v2/saml', 'GET')
      const { stdout } = await promisify(execFile)(client, [stack.url], { env: { TOKEN: token } })
      const removed = await get('/api/v2/saml/providers/1', 'DELETE')
      const unknown = expect.objectContaining({ status: 404, code: 'provider_not_found' })
      expect(read(stdout)).toEqual([list, removed, unknown])
      expect(stdout, 'ids of more than 32 bits').toMatch(/"id":3\d{9}\b/)
    },
  )
})
