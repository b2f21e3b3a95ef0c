import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { metrics } from '../../../lib/metrics.ts'
import { everythingOn, packagedOnce, root } from '../serverless/packaged.ts'

const { properties } = packagedOnce('prod', everythingOn)
const runbook = readFileSync(join(root, 'infra/README.md'), 'utf8')

/** The first column of a section's table. */
const namesIn = (section: string) => {
  const text = runbook.split(`\n## ${section}\n`)[1]?.split('\n## ')[0] ?? ''
  const [, , ...rows] = text.split('\n').filter(line => line.startsWith('| ') || line.startsWith('|-'))
  return rows.flatMap(row => row.split('|')[1]?.trim().split(', ') ?? [])
}

describe('the runbook', () => {
  const alarms = () => properties('AWS::CloudWatch::Alarm')

  test('names every alarm', () => {
    const names = alarms().map(({ AlarmName }) => AlarmName.replace('deprecated-saml-endpoints-prod-', ''))
    expect(namesIn('Alarms').sort()).toEqual(names.sort())
  })

  test('names every metric', () => {
    expect(namesIn('Metrics').sort()).toEqual(Object.keys(metrics).sort())
  })

  test('counts the metrics of the alarms, which are billed', () => {
    const count = alarms()
      .flatMap(({ Metrics = [{ MetricStat: {} }] }) => Metrics)
      .filter(one => one.MetricStat).length
    expect(runbook).toContain(`(${count} in ${alarms().length} alarms)`)
  })
})
