import { describe, expect, test } from 'vitest'
import { deployPackage, type Outside } from '../../../infra/serverless/deploy.ts'

const made = {
  options: ['--package', '.serverless'],
  template: {
    Resources: { ProviderTable: { Properties: { TableName: 'wanted' } }, ApiGatewayDeployment2: {} },
    Metadata: { Parameters: { realm: 'r' } },
  },
  folder: 'made',
}
const inState = (status: string, outputs = {}) => ({ id: 'arn', name: 'service-dev', status, outputs })

/**
 * Deploys to an AWS in which the stack is in these states, one for each time it is asked for.
 *
 * @returns the stack or the sentence of the failure, and what was done
 */
async function deploy(
  states: (string | undefined)[],
  more: Partial<Outside> = {},
  flags: { changeTable?: true; adoptTable?: true } = {},
) {
  const done: unknown[] = []
  const fake: Outside = {
    findStack: async () => {
      const status = states.shift()
      return status === undefined ? undefined : inState(status)
    },
    tableOf: async () => 'wanted',
    hasTable: async (_, name) => done.push(`has ${name}`) === 0,
    deploy: async (options, imports) => {
      done.push(options, ...(imports ? ['imports'] : []))
      return { exitCode: 0, interrupted: false }
    },
    prepareTable: async () => {
      done.push('prepared')
      return []
    },
    findReleases: async () => ({ ids: [], running: undefined }),
    callRelease: async (_, __, release) => done.push(`call ${release}`) > 0,
    getTemplate: async () => ({ Resources: {} }),
    writeTemplate: () => done.push('write'),
    pause: async () => void done.push('pause'),
    ...more,
  }
  const values = { stage: 'dev', package: '.serverless', ...flags }
  const result = await deployPackage(values, made, fake).catch((error: Error) => error.message)
  expect(states).toEqual([])
  return { result, done }
}

describe('a deployment', () => {
  test('of a new stage looks for its table, runs the framework, and returns the stack', async () => {
    const { result, done } = await deploy([undefined, 'CREATE_COMPLETE'])
    expect(done).toEqual(['has wanted', made.options, 'imports', 'call 2'])
    expect(result).toEqual(inState('CREATE_COMPLETE'))
  })

  test('of a deployed stage takes no call for a table that it keeps', async () => {
    const { done } = await deploy(['CREATE_COMPLETE', 'UPDATE_COMPLETE'])
    expect(done).toEqual([made.options, 'call 2'])
  })

  const running = { findReleases: async () => ({ ids: ['0', '1'], running: '1' }) }

  test('adds the release that runs to its package, and makes the stage call the new one', async () => {
    const { done } = await deploy(['CREATE_COMPLETE', 'UPDATE_COMPLETE'], running)
    expect(done).toEqual(['write', made.options, 'call 2'])
  })

  test('that fails makes the stage call the release that ran, also after a rollback', async () => {
    const more = { ...running, deploy: async () => ({ exitCode: 1, interrupted: false }) }
    const { done, result } = await deploy(['CREATE_COMPLETE', 'UPDATE_ROLLBACK_COMPLETE'], more)
    expect(done).toEqual(['write', 'call 1'])
    expect(result).toMatch(/the previous deployment is in place/)
  })

  test.each([
    ['a stack that can only be deleted', 'REVIEW_IN_PROGRESS', {}, /REVIEW_IN_PROGRESS/],
    ['a table that exists', undefined, { hasTable: async () => true }, /^The table wanted exists/],
    ['a forgotten table', 'CREATE_COMPLETE', { tableOf: async () => 'running' }, /--change-table\.$/],
    [
      'a forgotten parameter',
      'CREATE_COMPLETE',
      { getTemplate: async () => ({ Metadata: { Parameters: { sunsetAt: 'then' } }, Resources: {} }) },
      /^Stage dev runs with sunsetAt=then, /,
    ],
  ])('is refused because of %s, before the framework runs', async (_, state, more, sentence) => {
    const { result, done } = await deploy([state], more)
    expect(result).toMatch(sentence)
    expect(done).not.toContain(made.options)
  })

  test('changes the table with --change-table', async () => {
    const more = { tableOf: async () => 'running' }
    expect(
      (await deploy(['CREATE_COMPLETE', 'UPDATE_COMPLETE'], more, { changeTable: true })).done,
    ).toContain(made.options)
  })

  test('takes over a table with --adopt-table, after it is prepared', async () => {
    const more = { hasTable: async () => true }
    const { done } = await deploy([undefined, 'CREATE_COMPLETE'], more, { adoptTable: true })
    expect(done).toEqual(['prepared', made.options, 'imports', 'call 2'])
  })

  test('that fails waits for the end of the rollback, and not for a stack that is dead', async () => {
    const more = { deploy: async () => ({ exitCode: 1, interrupted: false }) }
    const rolled = await deploy(
      ['CREATE_COMPLETE', 'UPDATE_ROLLBACK_IN_PROGRESS', 'UPDATE_ROLLBACK_COMPLETE'],
      more,
    )
    expect(rolled.done).toEqual(['pause'])
    expect(rolled.result).toMatch(/the previous deployment is in place \(UPDATE_ROLLBACK_COMPLETE\)/)
    const dead = await deploy([undefined, 'REVIEW_IN_PROGRESS'], more)
    expect(dead.done).not.toContain('pause')
    expect(dead.result).toMatch(/is in the state REVIEW_IN_PROGRESS, [^\n]* npm run undeploy/)
  })

  test('that is interrupted does not wait, and says what AWS does', async () => {
    const more = { deploy: async () => ({ exitCode: null, interrupted: true }) }
    const { result, done } = await deploy(['CREATE_COMPLETE', 'UPDATE_IN_PROGRESS'], more)
    expect(result).toMatch(/^Interrupted, but AWS goes on with the stack service-dev \(UPDATE_IN_PROGRESS\)/)
    expect(done).toEqual(['pause'])
  })

  test('is not done when the framework says so, but there is no stack', async () => {
    expect((await deploy([undefined, undefined])).result).toMatch(/nothing is left of it/)
  })
})
