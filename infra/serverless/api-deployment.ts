import { createHash } from 'node:crypto'
import type { Template } from './template.ts'

const generated = /^ApiGatewayDeployment\d+$/
/** What a deployment does not contain. */
const beside = ['AWS::ApiGateway::Deployment', 'AWS::ApiGateway::Stage']

/**
 * Makes the deployment of the API follow its content: a deployment is a snapshot of the API, so it must come after the
 * gateway responses, too, and need not change when the API does not. The framework makes a new one in each package.
 *
 * Without a stage's name, the deployment creates no stage: the template has the stage itself.
 *
 * @param template as the framework has compiled and merged it; it is changed
 */
export function nameDeployment({ Resources }: Template): void {
  const [id = ''] = Object.keys(Resources).filter(name => generated.test(name))
  const { [id]: deployment } = Resources
  const content = Object.entries(Resources).filter(
    ([, { Type }]) => Type.startsWith('AWS::ApiGateway::') && !beside.includes(Type),
  )
  const hash = createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 16)
  const name = `ApiGatewayDeployment${hash}`
  const answers = content.filter(([, { Type }]) => Type === 'AWS::ApiGateway::GatewayResponse')
  delete Resources[id]
  delete deployment.Properties.StageName
  Resources[name] = {
    ...deployment,
    DependsOn: [...deployment.DependsOn, ...answers.map(([answerName]) => answerName)],
  }
  Resources.ApiGatewayStage.Properties.DeploymentId = { Ref: name }
}
