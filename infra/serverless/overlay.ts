import { isMap, parseDocument, type YAMLMap } from 'yaml'

/**
 * serverless.yml with what a stage's file adds to it: its `provider`, key by key, and its `resources`, which the framework
 * merges into the template after all others.
 *
 * @param serviceFile the text of serverless.yml
 * @param stageFile the text of the stage's file
 */
export function withOverlay(serviceFile: string, stageFile: string): string {
  const service = parseDocument(serviceFile)
  const stage = parseDocument(stageFile)
  const [provider, resources] = [stage.get('provider'), stage.get('resources')]
  if (isMap(provider)) merge(service.get('provider') as YAMLMap, provider)
  if (isMap(resources)) service.addIn(['resources'], resources)
  return service.toString({ lineWidth: 0 })
}

/** Nodes, not values, because they keep CloudFormation's tags, such as `!Sub`. */
function merge(target: YAMLMap, source: YAMLMap): void {
  for (const { key, value } of source.items) {
    const own = target.get(key)
    if (isMap(own) && isMap(value)) merge(own, value)
    else target.set(key, value)
  }
}
