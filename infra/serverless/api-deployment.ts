import { createHash } from 'node:crypto'
import type { Template } from './framework.ts'

/** What a deployment does not contain. */
const beside = ['AWS::ApiGateway::Deployment', 'AWS::ApiGateway::Stage']

/**
 * Makes the deployment of the API follow its content. A deployment is a snapshot of the API, so it comes after the gateway's
 * own answers, too, and has another name only when the API is another; the framework makes a new one in each package, for
 * which LocalStack answers 404 after a rollback.
 *
 * Without a stage's name it creates no stage, which could have neither throttling nor logs: the stage is in
 * infra/resources/api.yml.
 *
 * @param template as the framework has compiled and merged it; it is changed
 */
export function nameDeployment({ Resources }: Template): void {
  const [id = ''] = Object.keys(Resources).filter(name => /^ApiGatewayDeployment\d+$/.test(name))
  const { [id]: deployment } = Resources
  const content = Object.entries(Resources).filter(
    ([, { Type }]) => Type.startsWith('AWS::ApiGateway::') && !beside.includes(Type),
  )
  const answers = content.filter(([, { Type }]) => Type === 'AWS::ApiGateway::GatewayResponse')
  const hash = createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 16)
  const name = `ApiGatewayDeployment${hash}`
  delete Resources[id]
  delete deployment.Properties.StageName
  deployment.DependsOn.push(...answers.map(([answer]) => answer))
  Resources[name] = deployment
  Resources.ApiGatewayStage.Properties.DeploymentId = { Ref: name }
}
