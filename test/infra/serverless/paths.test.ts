import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { checkPaths } from '../../../infra/serverless/service-definition.ts'
import { copyOfProject } from '../../support/copy-of-project.ts'
import { root } from './packaged.ts'

const ofRemoval = 'must end with its only variable, the id of the provider.'

test.each([
  ['delete', 'api/v2/saml/providers/{saml_provider_id}', undefined],
  ['delete', 'idp/{id}', undefined],
  ['delete', 'tenants/{tenant_id}/saml/{id}', ofRemoval],
  ['delete', 'idp/{id}/removal', ofRemoval],
  ['delete', 'idp/saml-{id}', ofRemoval],
  ['delete', 'idp/{id+}', ofRemoval],
  ['delete', 'idp', ofRemoval],
  ['get', 'api/v2/saml', undefined],
  ['get', 'tenants/{tenant_id}/saml', 'must have no variable.'],
])('the path of a %s, %s: %s', (method, path, fault) => {
  const check = () => checkPaths([{ method, path }])
  if (fault === undefined) expect(check).not.toThrow()
  else expect(check).toThrow(`In serverless.yml, the path ${path} ${fault}`)
})

test('a path with two variables is refused at packaging, in one sentence', async () => {
  const copy = copyOfProject()
  const definition = readFileSync(join(root, 'serverless.yml'), 'utf8')
  const path = 'tenants/{tenant_id}/{saml_provider_id}'
  writeFileSync(join(copy, 'serverless.yml'), definition.replace(/(?<=path: ).*{saml_provider_id}/, path))
  const command = promisify(execFile)(process.execPath, ['infra/commands/package.ts'], { cwd: copy })
  await expect(command).rejects.toMatchObject({
    code: 1,
    stdout: '',
    stderr: `In serverless.yml, the path ${path} ${ofRemoval}\n`,
  })
})
