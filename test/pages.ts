import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineCommand, runCommand } from '../infra/command-line/command.ts'
import { print } from '../infra/command-line/output.ts'
import { rules } from '../infra/data/verify/find-faults.ts'
import { projectRoot } from '../infra/project-root.ts'
import { alarms } from '../infra/resources/alarms.ts'
import {
  endpoints,
  includedEntries,
  parametersOf,
  scheduledFunctions,
} from '../infra/serverless/service-definition.ts'
import { problemKinds } from '../lib/http/problem.ts'
import { events } from '../lib/log.ts'
import { metrics } from '../lib/metrics.ts'

/** A row of a table: its cells, of which the first names it. A cell for people, which only the page has, is undefined. */
type Row = [name: string, ...cells: (string | undefined)[]]

/** What stands in a new row where a person has to write something. */
export const unwritten = '(describe it)'

/** The tables, each below a comment with its name in a page. */
const tables: Record<string, () => Row[]> = {
  parameters: () =>
    Object.keys(parametersOf('default')).map(name => [`\`${name}\``, defaultsOf(name), undefined]),
  "entries of a stage's file": () =>
    ['params', 'tags', ...includedEntries].map(name => [`\`${name}\``, undefined]),
  alarms: alarmRows,
  'log events': () => Object.entries(events).map(([name, { level }]) => [`\`${name}\``, level, undefined]),
  metrics: () =>
    Object.entries(metrics).map(([name, { dimensions }]) => [
      name,
      undefined,
      dimensions.map(set => set.join(' and ')).join('; '),
    ]),
  failures: () =>
    Object.entries(problemKinds).map(([code, { status }]) => [`\`${code}\``, String(status), undefined]),
  faults: () => rules.map(({ wrong, mends = 'none', why }) => [wrong, mends, why]),
}

/** The default of a parameter, and those of the stages that have another one. */
function defaultsOf(name: string): string {
  const valueIn = (stage: string) =>
    String(parametersOf(stage)[name] ?? '').replace(/\$\{sls:stage}/, 'STAGE')
  const values = [['', valueIn('default')], ...['dev', 'prod'].map(stage => [`${stage} `, valueIn(stage)])]
  return values.flatMap(([label, value]) => (value === '' ? [] : [`${label}\`${value}\``])).join(', ')
}

/** The alarms of a stage with the defaults, first those that may wake somebody. */
function alarmRows(): Row[] {
  const { finishEveryMinutes, maxWaitSeconds, throttleRate } = parametersOf('default') as Record<
    string,
    number
  >
  const made = alarms({
    ...{ service: '', stageName: '', tableName: '', alarmActions: [] },
    functions: [...endpoints, ...scheduledFunctions],
    finishEveryMinutes: Number(finishEveryMinutes),
    maxWaitSeconds: Number(maxWaitSeconds),
    throttleRate: Number(throttleRate),
  })
  const rows = Object.values(made).map(({ Properties }): Row => {
    const { AlarmName, AlarmDescription, ComparisonOperator, Threshold, EvaluationPeriods } = Properties
    const threshold = `${ComparisonOperator.startsWith('GreaterThanOrEqual') ? '≥' : '>'} ${Threshold}`
    const periods = `${Properties.DatapointsToAlarm ?? EvaluationPeriods} of ${EvaluationPeriods}`
    const wakes = AlarmDescription.startsWith('May wake') ? 'yes' : 'no'
    const [, cause = ''] = /^[^.]+\. (.+)\. See/.exec(AlarmDescription) ?? []
    return [AlarmName.replace(/^-+/, ''), cause, threshold, periods, wakes, undefined]
  })
  return rows.toSorted(([, , , , one], [, , , , other]) => Number(other === 'yes') - Number(one === 'yes'))
}

/** The files with tables. */
const pages = ['infra/README.md', 'infra/alarms.md', 'infra/clients.md', 'infra/data/verify/README.md']

const table = /(?<=<!-- npm run pages writes: ([\w' ]+) -->\n\n)(\|.*\n\|.*\n)((?:\|.*\n)*)/g

/** The pages as they are, and as the code says. @throws Error when a table is in no page */
export function generatedPages(): { page: string; text: string; generated: string }[] {
  const missing = new Set(Object.keys(tables))
  const made = pages.map(page => {
    const text = readFileSync(join(projectRoot, page), 'utf8')
    const generated = text.replace(table, (_, name: string, head: string, body: string) => {
      missing.delete(name)
      return head + rowsOf(tables[name]?.() ?? [], body)
    })
    return { page, text, generated }
  })
  if (missing.size > 0) throw new Error(`No page has the table ${[...missing].join(', ')}.`)
  return made
}

/** The text of rows, with the cells for people as they stand in the table. */
function rowsOf(rows: Row[], body: string): string {
  const written = new Map(
    body.split('\n').map(line => {
      const cells = line.split('|').map(cell => cell.trim())
      return [cells[1], cells.slice(1)]
    }),
  )
  const line = (row: Row) => {
    const cells = row.map((cell, index) => cell ?? written.get(row[0])?.[index] ?? unwritten)
    return `|${cells.map(cell => (cell === '' ? ' ' : ` ${cell} `)).join('|')}|\n`
  }
  return rows.map(line).join('')
}

const command = defineCommand('npm run pages', {
  purpose:
    'Writes into the pages what the code says: the tables of parameters, alarms, log events, metrics, failures and faults. The cells for people stay.',
  example: 'npm run pages',
}).action(() => {
  for (const { page, text, generated } of generatedPages())
    if (text !== generated) {
      writeFileSync(join(projectRoot, page), generated)
      print(`${page} is written`)
    }
})

await runCommand(import.meta.filename, command)
