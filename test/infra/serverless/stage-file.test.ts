import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { packageService } from '../../../infra/serverless/package.ts'
import { withStageFile } from '../../../infra/serverless/stage-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'stage-file-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Writes a stage's file. @returns its path */
function fileOf(...lines: string[]): string {
  const file = join(folder, 'prod.yml')
  writeFileSync(file, lines.join('\n'))
  return file
}

describe("a stage's file", () => {
  test('gives region, profile and parameters to a command, in the form of its options', () => {
    const params = [
      'issuers: [{ issuer: https://a.example }]',
      'sunsetEnforced: true',
      'sunsetAt:',
      'deprecatedAt: 2026-01-01T00:00:00Z',
    ]
    const lines = ['region: eu-west-1', 'awsProfile: me', 'params:', ...params.map(line => `  ${line}`)]
    const stageFile = fileOf(...lines)
    expect(withStageFile({ stage: 'prod', stageFile })).toEqual({
      stage: 'prod',
      stageFile,
      region: 'eu-west-1',
      awsProfile: 'me',
      param: [
        'issuers=[{"issuer":"https://a.example"}]',
        'sunsetEnforced=true',
        'sunsetAt=',
        'deprecatedAt=2026-01-01T00:00:00Z',
      ],
    })
  })

  test('is overridden by the options of the command', () => {
    const stageFile = fileOf('region: eu-west-1', 'awsProfile: me', 'params: { realm: a }')
    const typed = { stage: 'prod', region: 'us-east-1', awsProfile: 'you', param: ['realm=b'] }
    expect(withStageFile({ ...typed, stageFile })).toEqual({
      ...typed,
      stageFile,
      param: ['realm=a', 'realm=b'],
    })
  })

  test('need not exist, unless it is named', () => {
    const values = { stage: 'no-such-stage', region: 'eu-west-1' }
    expect(withStageFile(values)).toEqual(values)
    expect(() => withStageFile({ ...values, stageFile: join(folder, 'no-such.yml') })).toThrow(/ENOENT/)
  })

  test.each([
    ['params: [a', /^\S+prod\.yml is not YAML: [^\n]+$/],
    ['parameters: {}', /^\S+prod\.yml: unknown entry parameters; see infra\/stages\/example\.yml\.$/],
    ['region: 7', /: region must be a text;/],
    ['region: ""', /: region must not be empty;/],
    ['params: text', /: params must be a map of NAME: VALUE;/],
    ['provider: text', /: provider must be a map of NAME: VALUE;/],
    ['resources: text', /: resources must be a map of NAME: VALUE;/],
    ['text', /: it must be a map;/],
  ])('with the content %s is refused in one sentence', (line, sentence) => {
    expect(() => withStageFile({ stage: 'prod', stageFile: fileOf(line) })).toThrow(sentence)
  })

  test('has parameters that are checked like --param', async () => {
    const stageFile = fileOf('params:', '  alarmTopic: a', '  readScope:', '  realm: a')
    const values = withStageFile({ stage: 'prod', package: '.serverless', stageFile })
    await expect(packageService(values)).rejects.toThrow(
      'Parameters: unknown parameter alarmTopic; readScope is empty; leave it out for its default.',
    )
  })

  test('is read for its stage from infra/stages, as the example is', () => {
    const { region, param } = withStageFile({ stage: 'example' }) as { region?: string; param?: string[] }
    expect(region).toBe('eu-central-1')
    expect(param).toContain('sunsetAt=2027-06-30T00:00:00Z')
  })
})
