import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { projectRoot } from '../../../infra/project-root.ts'
import type { Properties } from '../serverless/packaged.ts'

const read = (name: string) => readFileSync(join(projectRoot, 'infra/deployer', name), 'utf8')
const { on, permissions, jobs } = parse(read('deploy.yml'))
const { env, environment, steps } = jobs.deploy
const commands: string[] = steps.map(({ run = '' }: Properties) => run)

test('the example workflow runs in the environment that the role trusts', () => {
  const [{ Condition }] = JSON.parse(read('trust.json')).Statement
  expect(Condition.StringEquals).toEqual({
    'token.actions.githubusercontent.com:aud': 'sts.amazonaws.com',
    'token.actions.githubusercontent.com:sub': 'repo:ORGANIZATION/REPOSITORY:environment:STAGE',
  })
  expect(environment).toMatch(/^\$\{\{ inputs\.stage }}$/)
})

test('the example workflow runs no install script of a package where it may sign in', () => {
  expect(permissions).toHaveProperty('id-token')
  expect(commands.filter(run => /npm (ci|i|install)\b/.test(run))).toEqual(['npm ci --ignore-scripts'])
})

test('the commands of the example workflow get each input as a variable', () => {
  expect(commands.join()).not.toContain('${{') // it would become a part of the command
  for (const input of Object.keys(on.workflow_dispatch.inputs)) {
    const [variable] = Object.entries(env).find(([, value]) => value === `\${{ inputs.${input} }}`) ?? []
    expect(commands.join(), input).toContain(`$${variable}`)
  }
})
