import type { Template } from './template.ts'

/**
 * A release is what each package has of its own: a deployment of the API, a version of each function, and who may call
 * the version. Their logical ids end with the id of the release, the time of its packaging in ms.
 */
const deploymentId = /^ApiGatewayDeployment(\d+)$/
const ofVersions = ['AWS::Lambda::Permission', 'AWS::Lambda::EventInvokeConfig']
/** What all releases use: under another name or path it is another one. */
const shared = ['AWS::DynamoDB::Table', 'AWS::IAM::Role']

export const stageId = 'ApiGatewayStage'

/** The logical ids of a release's parts that are switched. */
export const deploymentOf = (release: string) => `ApiGatewayDeployment${release}`
export const versionOf = (functionId: string, release: string) => `${functionId}Version${release}`

/** The ids of the releases that have their deployment among these logical ids, the oldest first. */
export const releasesIn = (logicalIds: Iterable<string>): string[] =>
  [...logicalIds].flatMap(id => deploymentId.exec(id)?.[1] ?? []).sort()

/** When a release was packaged, in ISO 8601. */
export const timeOf = (release: string): string => new Date(Number(release)).toISOString()

/**
 * Makes the API and the schedule of a package call versions of the functions, instead of the functions. A version keeps
 * code and configuration, so the release that runs does not change while the next one is deployed.
 *
 * @param template as the framework wrote it
 */
export function bindRelease({ Resources, ...template }: Template): Template {
  const ids = Object.keys(Resources)
  const [release = ''] = releasesIn(ids)
  const isFunction = (id: string) => Resources[id]?.Type === 'AWS::Lambda::Function'
  const renamed = (id: string) => (ofVersions.includes(Resources[id]?.Type) ? id + release : id)
  const bound = ids.map(id => {
    const resource = JSON.parse(JSON.stringify(Resources[id]), (key, value) => {
      const [target, attribute] = value?.['Fn::GetAtt'] ?? []
      if (attribute === 'Arn' && isFunction(target)) return { Ref: versionOf(target, release) }
      return key === 'DependsOn' ? [value].flat().map(renamed) : value
    })
    const { Properties } = resource
    // Lambda publishes no version when neither code nor configuration has changed since the last one.
    if (isFunction(id)) Properties.Description = `Release ${release}`
    if (Properties?.Qualifier)
      Properties.Qualifier = { 'Fn::GetAtt': [versionOf(Properties.FunctionName.Ref, release), 'Version'] }
    return [renamed(id), resource]
  })
  const versions = ids
    .filter(isFunction)
    .map(id => [
      versionOf(id, release),
      { Type: 'AWS::Lambda::Version', Properties: { FunctionName: { Ref: id } } },
    ])
  return { ...template, Resources: Object.fromEntries([...bound, ...versions]) }
}

/**
 * Adds the release that runs to the template of the next one, so that the stage can be moved back to it.
 *
 * @param template of the next release
 * @param stack the template of the stack
 * @param running the id of the release that runs
 * @returns the template unchanged when the release that runs has other functions, or uses another table or other roles
 */
export function keepRelease(template: Template, stack: Template, running: string): Template {
  const next = releasesIn(Object.keys(template.Resources)).at(-1) ?? ''
  if (needsOf(template, next) !== needsOf(stack, running)) return template
  const kept = Object.entries(stack.Resources)
    .filter(([id]) => id.endsWith(running))
    // It exists already, and what it was created after may have other names now.
    .map(([id, { DependsOn, ...resource }]) => [id, resource])
  // After a rollback the stage serves the kept deployment, and AWS deletes no deployment before its stage.
  const stage = { ...template.Resources[stageId], DependsOn: [deploymentOf(running)] }
  return {
    ...template,
    Resources: { ...template.Resources, ...Object.fromEntries(kept), [stageId]: stage },
  }
}

/**
 * The template as if its release were the newest of the stack, for a comparison with the stack: what each release has of
 * its own is always new.
 */
export function asNewest(template: Template, stack: Template): Template {
  const [release = ''] = releasesIn(Object.keys(template.Resources))
  const ids = releasesIn(Object.keys(stack.Resources))
  const newest = ids.pop() ?? release
  const renamed: Template = JSON.parse(JSON.stringify(template).replaceAll(release, newest))
  return ids.reduce((made, id) => keepRelease(made, stack, id), renamed)
}

/** The names of a release's own parts, and the names of what it shares. */
function needsOf({ Resources }: Template, release: string): string {
  const needs = Object.entries(Resources).flatMap(([id, { Type, Properties = {} }]) => {
    if (id.endsWith(release)) return id.slice(0, -release.length)
    if (!shared.includes(Type)) return []
    return JSON.stringify([id, Properties.TableName, Properties.RoleName, Properties.Path])
  })
  return needs.sort().join('\n')
}
