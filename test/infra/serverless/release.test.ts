import { beforeAll, describe, expect, test } from 'vitest'
import { asNewest, keepRelease, releasesIn } from '../../../infra/serverless/release.ts'
import type { Template } from '../../../infra/serverless/template.ts'
import { everythingOn, packagedOnce, type Properties } from './packaged.ts'

const deployment = packagedOnce('prod', everythingOn)
const { ofType, properties } = deployment
const ids = (type: string) =>
  Object.keys(deployment.resources).filter(id => deployment.resources[id]?.Type === type)
let release = ''
/** The version of the same number as the route or permission has, in the order of serverless.yml. */
let versions: string[]
beforeAll(() => {
  release = releasesIn(Object.keys(deployment.resources)).join()
  versions = ids('AWS::Lambda::Function').map(id => `${id}Version${release}`)
})

describe('a release', () => {
  test('has a version of each function, which Lambda publishes because the function is another one each time', () => {
    expect(ids('AWS::Lambda::Version')).toEqual(versions)
    for (const { FunctionName } of properties('AWS::Lambda::Version'))
      expect(deployment.resources[FunctionName.Ref]?.Properties.Description).toContain(release)
  })

  test('is called by its routes and its schedule, and no function is called without a version', () => {
    const routes = properties('AWS::ApiGateway::Method').map(({ Integration }) => Integration.Uri)
    const [schedule] = properties('AWS::Events::Rule')
    const called = [...routes, schedule?.Targets].map(
      one => /"Ref":"(\w+Version\d+)"/.exec(JSON.stringify(one))?.[1],
    )
    expect(called).toEqual(versions)
    expect(JSON.stringify(deployment.resources)).not.toMatch(/"Fn::GetAtt":\["\w+LambdaFunction",/)
  })

  test('may be called by its routes and its schedule, and that is set up before the API is switched', () => {
    const permissions = ids('AWS::Lambda::Permission')
    const targets = permissions.map(id => deployment.resources[id]?.Properties.FunctionName.Ref)
    expect(targets.sort()).toEqual([...versions].sort())
    for (const id of permissions) expect(id).toMatch(new RegExp(`${release}$`))
    for (const { DependsOn = [] } of ofType('AWS::ApiGateway::Method'))
      expect(permissions).toEqual(expect.arrayContaining(DependsOn))
    const [api] = ofType('AWS::ApiGateway::Deployment')
    expect(api?.DependsOn).toEqual(expect.arrayContaining(ids('AWS::ApiGateway::Method')))
    expect(properties('AWS::ApiGateway::Stage')).toMatchObject([
      { DeploymentId: { Ref: `ApiGatewayDeployment${release}` } },
    ])
  })

  test('is not called again by its schedule after a failure', () => {
    expect(properties('AWS::Lambda::EventInvokeConfig')).toMatchObject([
      { Qualifier: { 'Fn::GetAtt': [versions.at(-1), 'Version'] }, MaximumRetryAttempts: 0 },
    ])
  })
})

describe('the release that runs', () => {
  const template = () => ({ Resources: deployment.resources }) as Template
  /** The template of another release of the same service. */
  const next = (id: string, more: Properties = {}): Template => {
    const { Resources } = JSON.parse(JSON.stringify(template()).replaceAll(release, id))
    return { Resources: { ...Resources, ...more } }
  }
  const [second, third] = ['1800000000002', '1800000000003']
  const releases = ({ Resources }: Template) => releasesIn(Object.keys(Resources))
  const upgraded = () => keepRelease(next(second), template(), release)

  test('is kept whole and unchanged beside the next one, and refers to nothing that is gone', () => {
    const { Resources } = upgraded()
    expect(Resources).toMatchObject(next(second).Resources)
    const kept = Object.entries(Resources).filter(([id]) => !(id in next(second).Resources))
    const own = Object.entries(deployment.resources).filter(([id]) => id.endsWith(release))
    expect(kept).toHaveLength(8)
    expect(kept).toEqual(own.map(([id, { DependsOn, ...resource }]) => [id, resource]))
    for (const [, id = ''] of JSON.stringify(kept).matchAll(/"(?:Ref|Fn::GetAtt)":\[?"(\w+)"/g))
      expect(Resources).toHaveProperty(id)
  })

  test('is deleted after the stage, which may serve it', () => {
    expect(upgraded().Resources.ApiGatewayStage.DependsOn).toEqual([`ApiGatewayDeployment${release}`])
  })

  test('is the only one that is kept: the newest, or after a rollback the one before', () => {
    expect(releases(upgraded())).toEqual([release, second])
    expect(releases(keepRelease(next(third), upgraded(), second))).toEqual([second, third])
    expect(releases(keepRelease(next(third), upgraded(), release))).toEqual([release, third])
  })

  test('and the one before are no change of the stack', () => {
    expect(asNewest(next(third), upgraded())).toEqual({
      Resources: keepRelease(next(second), upgraded(), release).Resources,
    })
    expect(asNewest(next(third), template())).toEqual(template())
  })

  const renamed = (id: string, Properties: Properties) => {
    const resource = deployment.resources[id]
    return { [id]: { ...resource, Properties: { ...resource?.Properties, ...Properties } } }
  }

  test.each<[string, () => Properties]>([
    ['another table', () => renamed('ProviderTable', { TableName: 'other' })],
    ['a role of another path', () => renamed('FinishRemovalsRole', { Path: '/other/' })],
    ['a role of another name', () => renamed('FinishRemovalsRole', { RoleName: 'other' })],
    ['one more function', () => ({ [`MoreVersion${second}`]: { Type: 'AWS::Lambda::Version' } })],
  ])('is not kept beside one with %s', (_, more) => {
    expect(releases(keepRelease(next(second, more()), template(), release))).toEqual([second])
  })
})
