import { describe, expect, test } from 'vitest'
import { commonFields, events, type LogEvent } from '../../../lib/log.ts'
import { everythingOn, packagedOnce } from '../serverless/packaged.ts'

const deployment = packagedOnce('prod', everythingOn)
const { properties } = deployment

describe('each saved query', () => {
  const known = new Set<string>([
    ...commonFields,
    ...Object.values(events).flatMap(({ fields }) => [...fields]),
  ])
  const words =
    /\b(?:filter|stats|fields|sort|limit|as|by|asc|desc|count|sum|max|min|latest|earliest|strcontains|ispresent|coalesce|SOURCE)\b/g

  test('uses existing fields and events', () => {
    const body = properties('AWS::CloudWatch::Dashboard')[0]?.DashboardBody['Fn::Sub']
    const onDashboard = [...body.matchAll(/"query": "((?:[^"\\]|\\.)*)"/g)].map(([, query]) =>
      JSON.parse(`"${query}"`),
    )
    const saved = properties('AWS::Logs::QueryDefinition').map(({ QueryString }) => QueryString)
    expect([onDashboard.length, saved.length]).toEqual([1, 3])
    for (const callers of [onDashboard[0], saved.find(query => query.includes('calls'))])
      expect(callers, 'the name as it is in the token').toContain('coalesce(client_id, client)')
    for (const query of [...saved, ...onDashboard]) {
      const given = [...query.matchAll(/ as (\w+)/g)].map(([, name]) => name)
      const names =
        query
          .replace(/"[^"]*"|'[^']*'/g, '')
          .replace(words, '')
          .match(/[a-z_]\w*/gi) ?? []
      for (const name of names) expect([...known, ...given], query).toContain(name)
      for (const [, event = ''] of query.matchAll(/event(?: =|,) "(\w+)"/g))
        expect(Object.keys(events)).toContain(event as LogEvent)
    }
  })

  test('reads the logs of the functions', () => {
    for (const { LogGroupNames } of properties('AWS::Logs::QueryDefinition'))
      for (const { Ref } of LogGroupNames) expect(deployment.resources[Ref]?.Type).toBe('AWS::Logs::LogGroup')
  })
})
