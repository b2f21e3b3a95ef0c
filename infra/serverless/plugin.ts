import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { type Config, readConfig } from '../../lib/config.ts'
import { deprecationHeaders } from '../../lib/http/deprecation.ts'
import { buildFunctions } from '../build.ts'
import { projectRoot } from '../project-root.ts'
import { gatewayResponses } from '../resources/gateway-responses.ts'
import { nameDeployment } from './api-deployment.ts'
import type { Options, Serverless, VariableSource } from './framework.ts'
import { defaults, parameterOf, stageFileEntries } from './service-definition.ts'
import { computed, faultyParameters, type Parameters } from './template-parameters.ts'

/** Of a function, in characters. Lambda refuses a longer one; neither packaging nor CloudFormation's validation does. */
const nameLengthMax = 64

/** The part of serverless.yml that needs code: parameters of a stage's file, build, gateway's own answers, refusals. */
export default class ServicePlugin {
  readonly hooks: Record<string, () => unknown>
  readonly configurationVariablesSources: { computed: VariableSource } = {
    computed: {
      resolve: async ({ address, resolveVariable }) => {
        for (const name of Object.keys(defaults))
          this.#parameters[name] = String((await resolveVariable(`param:${name}, null`)) ?? '')
        return { value: computed[address]?.(this.#parameters) }
      },
    },
  }
  readonly #serverless: Serverless
  readonly #options: Options
  readonly #parameters: Parameters = {}
  readonly #faults: string[]

  constructor(serverless: Serverless, options: Options) {
    this.#serverless = serverless
    this.#options = options
    const { stage = 'dev', param = [] } = options // the framework's own default, which `initialize` refuses
    const { params, ...entries } = readStageFile(stage)
    // Variables of a function are texts: a list, such as the issuers, becomes JSON.
    const fromFile = Object.entries(params ?? {}).map(([name, value]): [string, unknown] => [
      name,
      Array.isArray(value) ? JSON.stringify(value) : value,
    ])
    serverless.extendConfiguration(['params', stage], Object.fromEntries(fromFile))
    const given = [...fromFile.map(([name]) => name), ...param.map(text => text.replace(/=.*/s, ''))]
    this.#faults = [
      ...unknown('entry', Object.keys(entries), stageFileEntries),
      ...unknown('parameter', given, Object.keys(defaults)),
    ]
    this.hooks = {
      initialize: () => {
        if (options.stage === undefined)
          this.#refuse('Name the stage: npm run COMMAND -- --stage NAME, with the "--" that npm needs.')
      },
      'before:deploy:function:initialize': () =>
        this.#refuse(
          `A function is not deployed alone, because it must fit the roles, the API and the parameters: npm run deploy -- --stage ${stage}.`,
        ),
      'before:package:cleanup': () => {
        this.#checkNames()
        this.#addGatewayResponses(this.#checkedConfig())
      },
      'before:package:createDeploymentArtifacts': () => this.#build(),
      'after:aws:package:finalize:mergeCustomProviderResources': () => nameDeployment(this.#template()),
      'before:deploy:deploy': () => {
        // The framework would skip what equals the last package that was uploaded: also one that failed or was rolled back.
        options.force = true
        this.#checkPackage()
      },
    }
  }

  #checkNames(): void {
    const names = Object.values(this.#serverless.service.functions).map(({ name }) => name)
    const tooLong = Math.max(...names.map(({ length }) => length)) - nameLengthMax
    if (tooLong > 0)
      this.#refuse(
        `Nothing is packaged. Shorten the stage's name by ${tooLong}, because Lambda takes function names of at most ${nameLengthMax} characters.`,
      )
  }

  /** @returns the configuration that the functions will read */
  #checkedConfig(): Config {
    const faults = [...this.#faults, ...faultyParameters(this.#parameters)]
    try {
      const config = readConfig(this.#serverless.service.provider.environment)
      if (faults.length === 0) return config
    } catch (error) {
      const { message } = error as Error
      faults.push(message.replace('Configuration: ', '').replace(/\b[A-Z_]+\b/g, parameterOf))
    }
    const { stage } = this.#options
    return this.#refuse(`Nothing is packaged. In infra/stages/${stage}.yml or --param: ${faults.join('; ')}.`)
  }

  #addGatewayResponses({ deprecation }: Config): void {
    const { Resources } = this.#serverless.service.resources
    Object.assign(Resources, gatewayResponses(deprecationHeaders(deprecation)))
  }

  async #build(): Promise<void> {
    try {
      await buildFunctions()
    } catch (error) {
      this.#refuse((error as Error).message)
    }
  }

  #checkPackage(): void {
    const { stage, package: folder, param = [] } = this.#options
    const { StageName: packaged } = this.#template().Resources.ApiGatewayStage.Properties
    if (packaged !== stage)
      this.#refuse(`This package is of stage ${packaged}: deploy it with --stage ${packaged}.`)
    if (folder !== undefined && param.length > 0)
      this.#refuse(`The package in ${folder} has its parameters already: give --param when you package it.`)
  }

  readonly #template = () => this.#serverless.service.provider.compiledCloudFormationTemplate

  #refuse(sentence: string): never {
    throw new this.#serverless.classes.Error(sentence)
  }
}

/** The stage's file; serverless.yml includes its entries itself, but for the parameters. */
function readStageFile(stage: string): { params?: Record<string, unknown> | null } {
  const path = join(projectRoot, `infra/stages/${stage}.yml`)
  return existsSync(path) ? (parse(readFileSync(path, 'utf8'), { logLevel: 'error' }) ?? {}) : {} // no warnings about !Sub
}

/** A misspelt name would be ignored in silence. */
const unknown = (kind: string, names: string[], known: string[]) =>
  names.filter(name => !known.includes(name)).map(name => `unknown ${kind} ${name}`)
