import { cpSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { buildFunctions } from '../build.ts'
import { print } from '../command-line/output.ts'
import { Interrupted } from '../command-line/signals.ts'
import { projectRoot } from '../project-root.ts'
import { announcementOf } from './announcement.ts'
import { faultIn, frameworkOptions, openFramework } from './framework.ts'
import type { PackageValues } from './options.ts'
import { withOverlay } from './overlay.ts'
import { bindRelease } from './release.ts'
import { checkPaths, parametersOf, serviceName } from './service-definition.ts'
import { WrongParameters } from './settings.ts'
import { readTemplate, type Template, writeTemplate } from './template.ts'

/** Paths in the service's folder: the code, and the package of the framework. */
const functionsFolder = '.build/functions'
const frameworkFolder = '.serverless'

const defaults = parametersOf('default')

export interface Package {
  template: Template
  /** The folder with it. */
  folder: string
  /**
   * Deploys what is in the folder, by the framework, which prints its progress and the reason of a failure.
   *
   * @param imports whether the deployment takes over what exists and the stack would keep: its table, its logs
   */
  deploy: (imports: boolean) => Promise<{ exitCode: number | null; interrupted: boolean }>
  /** Size of the functions' zip file, in bytes. */
  codeBytes: number
}

/**
 * Builds the functions, writes the CloudFormation package, and prints the deprecation dates of its answers.
 *
 * @throws Error of one sentence that names every wrong parameter, or a wrong path
 */
export async function packageService({
  package: folder,
  stageFile,
  ...values
}: PackageValues): Promise<Package> {
  checkParameters(values.param ?? [])
  checkPaths()
  const options = frameworkOptions(values)
  print(`Packaging stage ${values.stage} …`)
  await buildFunctions()
  const { folder: service, run } = openFramework()
  cpSync(join(projectRoot, functionsFolder), join(service, functionsFolder), {
    recursive: true,
    filter: path => !/\.(map|draft)$/.test(path),
  })
  if (stageFile !== undefined) addOverlay(join(service, 'serverless.yml'), stageFile)
  const { exitCode, interrupted, printed } = await run(['package', ...options], 'pipe')
  if (interrupted) throw new Interrupted('Interrupted: nothing was packaged or deployed.')
  if (exitCode !== 0) throw new Error(faultIn(printed))
  const made = join(service, frameworkFolder)
  const template = bindRelease(readTemplate(made))
  writeTemplate(made, template)
  const written = resolve(projectRoot, folder)
  cpSync(made, written, { recursive: true })
  print(`${printed}\n${announcementOf(template)}`)
  return {
    template,
    folder: made,
    deploy: imports => run(['deploy', '--package', frameworkFolder, ...options], 'inherit', imports),
    codeBytes: statSync(join(written, `${serviceName}.zip`)).size,
  }
}

const addOverlay = (serviceFile: string, stageFile: string) =>
  writeFileSync(serviceFile, withOverlay(readFileSync(serviceFile, 'utf8'), readFileSync(stageFile, 'utf8')))

function checkParameters(parameters: string[]): void {
  const faults = parameters.flatMap(faultOf)
  if (faults.length > 0) throw new WrongParameters(faults.join('; '))
}

function faultOf(parameter: string): string[] {
  const [, name, value] = /^(\w+)=([\s\S]*)$/.exec(parameter) ?? []
  if (name === undefined) return [`"${parameter}" is not of the form NAME=VALUE`]
  if (!Object.hasOwn(defaults, name)) return [`unknown parameter ${name}`]
  if (value === '' && defaults[name] !== '') return [`${name} is empty; leave it out for its default`]
  return []
}
