import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectRoot } from '../infra/project-root.ts'
import { parametersOf, routes } from '../infra/serverless/service-definition.ts'
import { packagedOnce } from './infra/serverless/packaged.ts'
import { everythingOn } from './infra/serverless/stages.ts'
import { generatedPages, unwritten } from './pages.ts'

const { properties } = packagedOnce('prod', everythingOn)
const page = (name: string) => readFileSync(join(projectRoot, 'infra', name), 'utf8')

test('the tables of the pages are those of the code, with every cell written', () => {
  for (const { page, text, generated } of generatedPages()) {
    expect(text === generated, `the tables of ${page} are old: npm run pages`).toBe(true)
    const cells = generated.split('\n').filter(line => line.includes(unwritten))
    expect(cells, `describe it in ${page}`).toEqual([])
  }
})

test('the page for clients has each route, and the defaults', () => {
  const text = page('clients.md').replaceAll('\n', ' ')
  for (const { method, path } of routes)
    expect(text, 'add the route to infra/clients.md, Routes').toContain(
      `\`${method.toUpperCase()} /${path}\``,
    )
  const { maxWaitSeconds, retentionDays, finishEveryMinutes } = parametersOf('default')
  expect(text).toContain(`(${maxWaitSeconds} unless the operators`)
  expect(text).toContain(`the same users for ${retentionDays} days`)
  expect(text).toContain(`continues every ${finishEveryMinutes} minutes`)
})

test('the page of alarms has steps for each, and the name of each log group', () => {
  const text = page('alarms.md')
  for (const { AlarmName } of properties('AWS::CloudWatch::Alarm'))
    expect(text, 'write the steps of the alarm in infra/alarms.md').toContain(
      `\n### ${AlarmName.replace('deprecated-saml-endpoints-prod-', '')}\n`,
    )
  for (const { LogGroupName } of properties('AWS::Logs::LogGroup'))
    expect(text).toContain(
      `\`${LogGroupName.replace('-prod', '-STAGE').replace(/(\/lambda\/.*-)\w+$/, '$1FUNCTION')}\``,
    )
})

test('the pages name the region in each command of AWS but those of IAM, which has none', () => {
  const names = readdirSync(join(projectRoot, 'infra'), { recursive: true, encoding: 'utf8' })
  const commands = names
    .filter(name => name.endsWith('.md'))
    .flatMap(
      name =>
        page(name)
          .replaceAll('\\\n', '')
          .match(/\baws (?!iam )[a-z]+ [a-z-]+ [^`\n]*/g) ?? [],
    )
  expect(commands.length).toBeGreaterThan(20)
  for (const command of commands) expect(command).toMatch(/ --region (\$region|<region>|REGION)/)
})
