import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { events } from '../../../lib/log.ts'
import { metrics } from '../../../lib/metrics.ts'
import { parametersOf } from '../../../infra/serverless/service-definition.ts'
import { packagedOnce, root } from '../serverless/packaged.ts'
import { everythingOn } from '../serverless/stages.ts'

const { properties } = packagedOnce('prod', everythingOn)
const page = (name: string) => readFileSync(join(root, 'infra', name), 'utf8')
const alarmsPage = page('alarms.md')

/** The first column of a section's table. */
const namesIn = (section: string) => {
  const text = alarmsPage.split(`\n## ${section}\n`)[1]?.split('\n## ')[0] ?? ''
  const [, , ...rows] = text.split('\n').filter(line => line.startsWith('| ') || line.startsWith('|-'))
  return rows.flatMap(row => row.split('|')[1]?.trim().split(', ') ?? [])
}

test('the page for clients has the defaults', () => {
  const { maxWaitSeconds, retentionDays, finishEveryMinutes } = parametersOf('default')
  const text = page('clients.md').replaceAll('\n', ' ')
  expect(text).toContain(`(${maxWaitSeconds} unless the operators`)
  expect(text).toContain(`the same users for ${retentionDays} days`)
  expect(text).toContain(`continues every ${finishEveryMinutes} minutes`)
})

describe('the pages for operators', () => {
  const alarms = () => properties('AWS::CloudWatch::Alarm')

  test('name every parameter with its default, and those of the stages that have their own', () => {
    const section = page('README.md').split('\n## Parameters\n')[1]?.split('\n## ')[0] ?? ''
    const rows = [...section.matchAll(/^\| `(\w+)` \|(.*?)\|/gm)].map(([, name, text]) => [
      name,
      text?.trim(),
    ])
    const valueIn = (stage: string, name: string, label = '') => {
      const value = String(parametersOf(stage)[name] ?? '').replace(/\$\{sls:stage}/, 'STAGE')
      return value === '' ? [] : [`${label}\`${value}\``]
    }
    const valuesOf = (name: string) =>
      [valueIn('default', name), valueIn('dev', name, 'dev '), valueIn('prod', name, 'prod ')].flat()
    const names = Object.keys(parametersOf('default'))
    expect(rows).toEqual(names.map(name => [name, valuesOf(name).join(', ')]))
  })

  test('name every alarm, and have steps for it', () => {
    const names = alarms().map(({ AlarmName }) => AlarmName.replace('deprecated-saml-endpoints-prod-', ''))
    expect(namesIn('Alarms').sort(), 'describe each alarm in infra/alarms.md').toEqual(names.sort())
    const section = alarmsPage.split('\n## Alarms\n')[1]?.split('\n## ')[0] ?? ''
    const steps = [...section.matchAll(/^### ([\w-]+)$/gm)].map(([, name]) => name)
    expect(steps.sort()).toEqual(names)
  })

  test('have the threshold of each alarm, how often it is reached before it rings, and whether it may wake', () => {
    for (const { AlarmName, AlarmDescription, Threshold, EvaluationPeriods, DatapointsToAlarm } of alarms()) {
      const name = AlarmName.replace('deprecated-saml-endpoints-prod-', '')
      const [row] = new RegExp(`^\\| ${name} \\|.*`, 'm').exec(alarmsPage) ?? []
      const times = `${DatapointsToAlarm ?? EvaluationPeriods} of ${EvaluationPeriods}`
      expect(row?.includes('three times in a row'), name).toBe(times === '3 of 3')
      expect(row?.includes('twice in 15 minutes'), name).toBe(times === '2 of 3')
      expect(row?.split('|')[3]?.trim(), name).toBe(AlarmDescription.startsWith('May wake') ? 'yes' : 'no')
      if (name === 'slow-answers') expect(row).toContain(`over ${Threshold / 1000} s`)
      if (name === 'budget-expired') expect(row).toContain(`${Threshold} removals in`)
    }
  })

  test('name every log event with its level', () => {
    const [section = ''] = alarmsPage.split('## Log events\n')[1]?.split('\n## ') ?? []
    const rows = [...section.matchAll(/^\| `(\w+)` \| (\w+) \|/gm)].map(([, event, level]) => [event, level])
    expect(rows).toEqual(Object.entries(events).map(([event, { level }]) => [event, level]))
  })

  test('name every log group', () => {
    for (const { LogGroupName } of properties('AWS::Logs::LogGroup'))
      expect(alarmsPage).toContain(
        `\`${LogGroupName.replace('-prod', '-STAGE').replace(/(\/lambda\/.*-)\w+$/, '$1FUNCTION')}\``,
      )
  })

  test('name every metric', () => {
    expect(namesIn('Metrics').sort(), 'describe it in infra/alarms.md').toEqual(Object.keys(metrics).sort())
  })

  test('name the region in each command of AWS but those of IAM, which has none', () => {
    const pages = readdirSync(join(root, 'infra'), { recursive: true, encoding: 'utf8' }).filter(name =>
      name.endsWith('.md'),
    )
    const commands = pages.flatMap(name => [
      ...page(name)
        .replaceAll('\\\n', '')
        .matchAll(/\baws (?!iam )[a-z]+ [a-z-]+ [^`\n]*/g),
    ])
    expect(commands.length).toBeGreaterThan(20)
    for (const [command] of commands) expect(command).toMatch(/ --region (\$region|<region>|REGION)/)
  })
})
