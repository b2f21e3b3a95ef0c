import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { RegoEngine, TemplateFile } from '@aws/cloudformation-validate'
import { projectRoot } from '../infra/project-root.ts'
import { everythingOn, issuers } from './infra/serverless/packaged.ts'

// `npm run lint:template`: AWS's offline validator on packages of a stage, which .serverless/ has one after the other: with the
// issuers alone, with all options, and without alarms and dashboard.

/**
 * Not faults: replacement on renaming, tags of the stack only, the framework's Fn::Join, logs without a DeletionPolicy,
 * conditions that the stage's parameters decide, and numbers that a command line gives as texts.
 */
const advice = ['I9001', 'I9040', 'I1022', 'I3011', 'W8003', 'W9003', 'W9053']

for (const [stage, options] of [
  ['prod', {}],
  ['prod', everythingOn],
  ['localstack', {}],
] as const) {
  const param = Object.entries({ issuers, ...options }).map(([name, value]) => `--param=${name}=${value}`)
  const framework = ['node_modules/serverless/bin/serverless.js', 'package', `--stage=${stage}`, ...param]
  const packaging = spawnSync(process.execPath, framework, { cwd: projectRoot, encoding: 'utf8' })
  if (packaging.status !== 0) throw new Error(packaging.stdout + packaging.stderr)

  const template = join(projectRoot, '.serverless/cloudformation-template-update-stack.json')
  const { status, diagnostics } = new RegoEngine().validateStandard(new TemplateFile(template))
  const findings = diagnostics.filter(({ ruleId }) => !advice.includes(ruleId))
  for (const { ruleId, entity, message } of findings)
    process.stderr.write(`${ruleId} ${entity?.logicalId}: ${message}\n`)
  if (status !== 'OK' || findings.length > 0) process.exitCode = 1
}
