import { buildFunctions } from '../build.ts'
import { nameDeployment } from './api-deployment.ts'
import { checkDeployment } from './checks/deployment.ts'
import { checkRollback, packageFolder } from './checks/rollback.ts'
import type { Asked, Options, Serverless, VariableSource } from './framework.ts'
import { readParamOptions } from './param-options.ts'
import {
  faultyRoutes,
  longStageName,
  parametersOf,
  serviceName,
  unknownParameters,
} from './service-definition.ts'
import { placeholders, settings } from './settings.ts'
import { readStageFile } from './stage-file.ts'

/** The part of serverless.yml that needs code: parameters of a stage's file, `${computed:…}`, build and refusals. */
export default class ServicePlugin {
  readonly hooks: Record<string, () => unknown>
  readonly configurationVariablesSources: { computed: VariableSource } = {
    computed: { resolve: async asked => ({ value: await this.#valueOf(asked) }) },
  }
  readonly #serverless: Serverless
  readonly #options: Options
  readonly #stage: string
  /** The names of the parameters on the command line. */
  readonly #given: string[]
  /** The table that the operator allows the stage to leave. */
  readonly #leaveTable: string | undefined
  readonly #stackTags: Record<string, string>
  readonly #faults: string[]
  #computed: Promise<Record<string, unknown>> | undefined

  constructor(serverless: Serverless, options: Options) {
    this.#serverless = serverless
    this.#options = options
    const stage = serverless.getProvider('aws').getStage()
    this.#stage = stage
    const given = this.#orRefuse(() => readParamOptions(options.param ?? []))
    this.#leaveTable = given.get('leaveTable')
    if (this.#leaveTable !== undefined && serverless.processedInput.commands.join(' ') !== 'deploy')
      this.#refuse('leaveTable is of one deployment: give it to npm run deploy alone.')
    given.delete('leaveTable') // it is of one deployment, and not of the stage
    this.#given = [...given.keys()]
    const file = readStageFile(stage)
    this.#faults = [
      ...longStageName(stage),
      ...file.faults,
      ...unknownParameters(this.#given),
      ...faultyRoutes(),
    ]
    serverless.extendConfiguration(['params', stage], { ...parametersOf(stage), ...file.params })
    this.#stackTags = { ...file.tags, service: serviceName, stage }
    this.hooks = this.#hooksOf()
  }

  #hooksOf(): Record<string, () => unknown> {
    return {
      'before:deploy:function:initialize': () =>
        this.#refuse(
          `A function is not deployed alone, because it must fit the roles, the API and the parameters: deploy the stage (npm run deploy -- --stage ${this.#stage}).`,
        ),
      'before:invoke:local:loadEnvVars': () =>
        this.#refuse(
          'A function cannot be called without its gateway and its table: `npm start` runs all of them on this machine.',
        ),
      'before:print:print': () => this.#refuseFaults('printed'),
      'before:package:cleanup': () => this.#refuseFaults('packaged'),
      'before:package:createDeploymentArtifacts': () =>
        this.#inOneSentence(async () => void (await buildFunctions())),
      'after:aws:package:finalize:mergeCustomProviderResources': () => nameDeployment(this.#template()),
      'before:deploy:deploy': () => {
        // The framework would skip what equals the last package that was uploaded: also one that failed or was rolled back.
        this.#options.force = true
        return this.#inOneSentence(() => this.#checkDeployment())
      },
      'before:rollback:rollback': () => this.#inOneSentence(() => this.#checkRollback()),
    }
  }

  async #valueOf({ address, resolveVariable }: Asked): Promise<unknown> {
    this.#computed ??= this.#compute(resolveVariable)
    return { ...(await this.#computed), stackTags: this.#stackTags }[address]
  }

  /** Wrong parameters are remembered, because the framework would print them once per variable. */
  async #compute(resolveVariable: (address: string) => Promise<unknown>): Promise<Record<string, unknown>> {
    try {
      return await settings(resolveVariable)
    } catch (error) {
      this.#faults.push((error as Error).message)
      return placeholders()
    }
  }

  #refuseFaults(done: string): void {
    if (this.#faults.length > 0) this.#refuse(`Nothing is ${done}: ${this.#faults.join('; ')}.`)
  }

  #orRefuse<T>(read: () => T): T {
    try {
      return read()
    } catch (error) {
      return this.#refuse((error as Error).message)
    }
  }

  #refuse(sentence: string): never {
    throw new this.#serverless.classes.Error(sentence)
  }

  async #checkDeployment(): Promise<void> {
    const { package: folder } = this.#options
    const packaged = this.#serverless.service.provider.stackTags.stage
    if (packaged !== this.#stage)
      throw new Error(
        `This package is of stage ${packaged}: deploy it with --stage ${packaged}, or package stage ${this.#stage}.`,
      )
    if (folder !== undefined && this.#given.length > 0)
      throw new Error(
        `The package in ${folder} has its parameters already: give ${this.#given.join(', ')} when you package it.`,
      )
    await checkDeployment({
      ...(await this.#deployed()),
      template: this.#template(),
      leaveTable: this.#leaveTable,
    })
  }

  async #checkRollback(): Promise<void> {
    const { timestamp } = this.#options
    if (timestamp === undefined) return // it lists the packages
    const aws = this.#serverless.getProvider('aws')
    const folder = [aws.getDeploymentPrefix(), serviceName, this.#stage, packageFolder(timestamp)].join('/')
    await checkRollback({
      ...(await this.#deployed()),
      bucket: await aws.getServerlessDeploymentBucketName(),
      key: `${folder}/${aws.naming.getCompiledTemplateS3Suffix()}`,
    })
  }

  async #deployed() {
    const aws = this.#serverless.getProvider('aws')
    return {
      stage: this.#stage,
      stackName: aws.naming.getStackName(),
      config: await aws.getAwsSdkV3Config(),
    }
  }

  readonly #template = () => this.#serverless.service.provider.compiledCloudFormationTemplate

  async #inOneSentence(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      const { message, code } = error as NodeJS.ErrnoException
      throw new this.#serverless.classes.Error(message || `AWS cannot be asked (${code}).`)
    }
  }
}
