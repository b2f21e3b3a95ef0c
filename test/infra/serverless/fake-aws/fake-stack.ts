import { ListTablesCommand } from '@aws-sdk/client-dynamodb'
import { createTable } from '../../../../infra/resources/table.ts'
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

/** The state outside the stacks, which other calls can change. */
export interface Account {
  logGroups: Set<string>
  /** Objects of the one bucket: key to body and metadata. */
  objects: Map<string, { body: string; metadata: Record<string, string> }>
  dynamodbEndpoint: string
  /** How the deletion of a stack ends instead of succeeding; `DELETE_IN_PROGRESS`: it does not end. */
  deletion?: { status: string; reason?: string }
}

/** A stack. It creates the named resources of its template, applies their DeletionPolicy and resolves its outputs. */
export class FakeStack {
  readonly id: string
  readonly name: string
  private readonly account: Account
  status = 'REVIEW_IN_PROGRESS'
  resources = new Map<string, FakeResource>()
  outputs: Record<string, string> = {}

  /** The environment variables of the functions; empty before the first deployment. */
  variables: Record<string, string> = {}

  constructor(name: string, account: Account) {
    this.name = name
    this.account = account
    this.id = `arn:aws:cloudformation:${region}:000000000000:stack/${name}/1`
  }

  /**
   * Creates the new resources, and those with a changed name, whose predecessors stay: only tables change theirs, and they
   * are retained. @returns the reason of a failure, in which case only the status has changed
   */
  async execute(template: Template): Promise<string | undefined> {
    const kind = this.resources.size === 0 ? 'CREATE' : 'UPDATE'
    for (const [id, { Type, Properties = {}, DeletionPolicy }] of Object.entries(template.Resources)) {
      const physicalId = this.nameOf(Type, Properties) ?? `${id}-1`
      if (this.resources.get(id)?.physicalId === physicalId) continue
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

  /** Deletes the stack. @returns the reason of a failure */
  delete(): string | undefined {
    if (this.account.deletion !== undefined) {
      this.status = this.account.deletion.status
      return this.account.deletion.reason
    }
    if (this.account.objects.size > 0) {
      this.status = 'DELETE_FAILED'
      return 'The bucket you tried to delete is not empty'
    }
    for (const { type, physicalId, kept } of this.resources.values())
      if (type === 'AWS::Logs::LogGroup' && !kept) this.account.logGroups.delete(physicalId)
    this.status = 'DELETE_COMPLETE'
    return undefined
  }

  /** The resources that were deleted by another call than CloudFormation's. */
  lost(): string[] {
    return [...this.resources.values()].flatMap(({ type, physicalId }) =>
      type === 'AWS::Logs::LogGroup' && !this.account.logGroups.has(physicalId) ? [physicalId] : [],
    )
  }

  private async create(type: string, physicalId: string): Promise<string | undefined> {
    if (type === 'AWS::Logs::LogGroup') {
      if (this.account.logGroups.has(physicalId)) return `${physicalId} already exists`
      this.account.logGroups.add(physicalId)
    }
    if (type === 'AWS::DynamoDB::Table') {
      const client = connectTo(this.account.dynamodbEndpoint)
      const exists = (await client.send(new ListTablesCommand({}))).TableNames?.includes(physicalId)
      if (!exists) await createTable(client, physicalId)
      client.destroy()
      if (exists) return `${physicalId} already exists`
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
