import { createTable } from '../../../../infra/dynamodb/table.ts'
import { connectTo } from '../../../../infra/dynamodb/client.ts'

// biome-ignore lint/suspicious/noExplicitAny: a template has no type
type Values = Record<string, any>

interface Template {
  Resources: Record<string, { Type: string; Properties?: Values; DeletionPolicy?: string }>
  Outputs?: Record<string, { Value: unknown }>
}

interface FakeResource {
  type: string
  physicalId: string
  kept: boolean
}

export const apiId = 'abc123'
export const bucket = 'fake-serverlessdeploymentbucket-1'
const region = 'eu-central-1'

/** What exists beside the stacks, and may be changed by calls of its own. */
export interface World {
  logGroups: Set<string>
  /** Objects of the one bucket: key to body and metadata. */
  objects: Map<string, { body: string; metadata: Record<string, string> }>
  dynamodbEndpoint: string
}

/** One stack: it makes the named resources of its template, keeps what DeletionPolicy says, and knows its outputs. */
export class FakeStack {
  readonly id: string
  readonly name: string
  private readonly world: World
  status = 'REVIEW_IN_PROGRESS'
  resources = new Map<string, FakeResource>()
  outputs: Record<string, string> = {}

  /** Of the functions; empty before there are any. */
  variables: Record<string, string> = {}

  constructor(name: string, world: World) {
    this.name = name
    this.world = world
    this.id = `arn:aws:cloudformation:${region}:000000000000:stack/${name}/1`
  }

  /** @returns why it is refused; the stack is as it was then, but for its state */
  async execute(template: Template): Promise<string | undefined> {
    const kind = this.resources.size === 0 ? 'CREATE' : 'UPDATE'
    for (const [id, { Type, Properties = {}, DeletionPolicy }] of Object.entries(template.Resources)) {
      if (this.resources.has(id)) continue
      const physicalId = this.nameOf(Type, Properties) ?? `${id}-1`
      const fault = await this.create(Type, physicalId)
      if (fault !== undefined) {
        this.status = kind === 'CREATE' ? 'ROLLBACK_COMPLETE' : 'UPDATE_ROLLBACK_COMPLETE'
        return fault
      }
      this.resources.set(id, { type: Type, physicalId, kept: DeletionPolicy === 'Retain' })
    }
    this.variables =
      template.Resources.ListSamlProvidersLambdaFunction?.Properties?.Environment.Variables ?? {}
    this.outputs = Object.fromEntries(
      Object.entries(template.Outputs ?? {}).map(([name, { Value }]) => [name, this.resolve(Value)]),
    )
    this.status = `${kind}_COMPLETE`
    return undefined
  }

  /** @returns why it cannot be deleted */
  delete(): string | undefined {
    if (this.world.objects.size > 0) {
      this.status = 'DELETE_FAILED'
      return 'The bucket you tried to delete is not empty'
    }
    for (const { type, physicalId, kept } of this.resources.values())
      if (type === 'AWS::Logs::LogGroup' && !kept) this.world.logGroups.delete(physicalId)
    this.status = 'DELETE_COMPLETE'
    return undefined
  }

  /** The resources that another call than CloudFormation's has deleted. */
  lost(): string[] {
    return [...this.resources.values()].flatMap(({ type, physicalId }) =>
      type === 'AWS::Logs::LogGroup' && !this.world.logGroups.has(physicalId) ? [physicalId] : [],
    )
  }

  private async create(type: string, physicalId: string): Promise<string | undefined> {
    if (type === 'AWS::Logs::LogGroup') {
      if (this.world.logGroups.has(physicalId)) return `${physicalId} already exists`
      this.world.logGroups.add(physicalId)
    }
    if (type === 'AWS::DynamoDB::Table') {
      const client = connectTo(this.world.dynamodbEndpoint)
      await createTable(client, physicalId)
      client.destroy()
    }
    return undefined
  }

  private nameOf(type: string, properties: Values): string | undefined {
    if (type === 'AWS::S3::Bucket') return bucket
    if (type === 'AWS::ApiGateway::RestApi') return apiId
    const name = properties.LogGroupName ?? properties.TableName ?? properties.FunctionName
    return name === undefined ? undefined : this.resolve(name)
  }

  private resolve(value: unknown): string {
    const { Ref, 'Fn::Sub': sub } = value as Values
    if (typeof value === 'string') return value
    if (Ref !== undefined) return this.referred(Ref)
    if (typeof sub === 'string') return sub.replace(/\$\{([^}]+)\}/g, (_, name) => this.referred(name))
    return JSON.stringify(value)
  }

  private referred(name: string): string {
    const pseudo: Record<string, string> = {
      'AWS::Region': region,
      'AWS::StackName': this.name,
      'AWS::URLSuffix': 'amazonaws.com',
    }
    return pseudo[name] ?? this.resources.get(name)?.physicalId ?? `no resource ${name}`
  }
}
