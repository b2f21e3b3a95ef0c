import { expect, test } from 'vitest'
import { nameDeployment } from '../../../infra/serverless/api-deployment.ts'

/** The names of the deployments in a template, and what its stage and the deployment refer to. */
function deploymentOf(id: string, { path = 'saml', memory = 1024 }) {
  const Resources: Record<string, object> = {
    Api: { Type: 'AWS::ApiGateway::Method', Properties: { path } },
    Throttled: { Type: 'AWS::ApiGateway::GatewayResponse' },
    List: { Type: 'AWS::Lambda::Function', Properties: { memory } },
    ApiGatewayStage: { Type: 'AWS::ApiGateway::Stage', Properties: {} },
    [id]: { Type: 'AWS::ApiGateway::Deployment', Properties: { StageName: 'prod' }, DependsOn: ['Api'] },
  }
  nameDeployment({ Resources })
  const names = Object.keys(Resources).filter(name => name.startsWith('ApiGatewayDeployment'))
  return { names, stage: Resources.ApiGatewayStage, deployment: Resources[names[0] ?? ''] }
}

test("the API's deployment has another name only where the API is another", () => {
  const { names } = deploymentOf('ApiGatewayDeployment1', {})
  expect(names).toHaveLength(1)
  expect(deploymentOf('ApiGatewayDeployment2', { memory: 2048 }).names).toEqual(names)
  expect(deploymentOf('ApiGatewayDeployment1', { path: 'other' }).names).not.toEqual(names)
})

test("the API's deployment creates no stage, comes after the gateway responses, and is the stage's", () => {
  const { names, stage, deployment } = deploymentOf('ApiGatewayDeployment1', {})
  expect(deployment).toMatchObject({ Properties: {}, DependsOn: ['Api', 'Throttled'] })
  expect(deployment).not.toHaveProperty('Properties.StageName')
  expect(stage).toMatchObject({ Properties: { DeploymentId: { Ref: names[0] } } })
})
