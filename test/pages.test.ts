import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectRoot } from '../infra/project-root.ts'
import { parametersOf, routes } from '../infra/serverless/service-definition.ts'
import { everythingOn, packagedOnce } from './infra/serverless/packaged.ts'
import { generatedPages, unwritten } from './pages.ts'

const { properties } = packagedOnce('prod', everythingOn)
const page = (name: string) => readFileSync(join(projectRoot, 'infra', name), 'utf8')

/** Expects these texts in a page. A failure prints those that are missing, and not the page. */
function expectIn(name: string, texts: string[]) {
  const text = page(name).replaceAll('\n', ' ')
  expect(
    texts.filter(one => !text.includes(one)),
    `write it in infra/${name}`,
  ).toEqual([])
}

test('the tables of the pages are those of the code', () => {
  for (const { page, text, generated } of generatedPages()) {
    expect(text === generated, `the tables of ${page} are old: npm run pages`).toBe(true)
    const cells = generated.split('\n').filter(line => line.includes(unwritten))
    expect(cells, `describe it in ${page}`).toEqual([])
  }
})

test('the page for clients has routes and defaults', () => {
  const { maxWaitSeconds, retentionDays, finishEveryMinutes } = parametersOf('default')
  expectIn('clients.md', [
    ...routes.map(({ method, path }) => `\`${method.toUpperCase()} /${path}\``),
    `(${maxWaitSeconds} unless the operators`,
    `the same users for ${retentionDays} days`,
    `continues every ${finishEveryMinutes} minutes`,
  ])
})

test('the page of alarms has steps for each', () => {
  const alarms = properties('AWS::CloudWatch::Alarm').map(({ AlarmName }) => AlarmName)
  const logs = properties('AWS::Logs::LogGroup').map(({ LogGroupName }) => LogGroupName)
  expectIn('alarms.md', [
    ...alarms.map(name => `### ${name.replace('deprecated-saml-endpoints-prod-', '')} `),
    ...logs.map(name => name.replace('-prod', '-STAGE').replace(/(\/lambda\/.*-)\w+$/, '$1FUNCTION')),
  ])
})

test('the pages name the region in each command of AWS but those of IAM', () => {
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

test('what the pages import from the tests is there', async () => {
  const imports = ['operations.md'].flatMap(name => [
    ...page(name).matchAll(/import \{ (.+) \} from "\.\/(.+)"/g),
  ])
  expect(imports.length).toBeGreaterThan(0)
  for (const [, names = '', file = ''] of imports)
    expect(Object.keys(await import(join(projectRoot, file)))).toEqual(
      expect.arrayContaining(names.split(', ')),
    )
})
