import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll } from 'vitest'

const run = promisify(execFile)
export const root = join(import.meta.dirname, '..', '..', '..')

export const issuers =
  '[{"issuer":"https://login.example.com","audience":"a","jwksUri":"https://login.example.com/keys"}]'

// biome-ignore lint/suspicious/noExplicitAny: a template has no type, and what is missing fails the test
export type Properties = Record<string, any>

interface Resource {
  Type: string
  Properties: Properties
  DeletionPolicy?: string
  UpdateReplacePolicy?: string
  DependsOn?: string[]
}

export interface Packaged {
  /** Where the template and the zip are, until the tests of the file are over. */
  folder: string
  /** What the command printed. */
  said: string
  resources: Record<string, Resource>
  outputs: Record<string, Properties>
  ofType(type: string): Resource[]
  properties(type: string): Properties[]
}

/** The package as `npm run package` makes it, with these parameters beside the issuers. */
async function packaged(
  stage: string,
  parameters: Record<string, string | number | boolean> = {},
): Promise<Packaged & { remove(): void }> {
  const folder = mkdtempSync(join(tmpdir(), 'package-'))
  const given = Object.entries({ issuers, ...parameters }).flatMap(([name, value]) => [
    '--param',
    `${name}=${value}`,
  ])
  const command = ['infra/commands/package.ts', '--package', folder, '--stage', stage, ...given]
  const { stdout, stderr } = await run(process.execPath, command, { cwd: root })
  const { Resources: resources, Outputs: outputs } = JSON.parse(
    readFileSync(join(folder, 'cloudformation-template-update-stack.json'), 'utf8'),
  )
  const ofType = (type: string) =>
    Object.values<Resource>(resources).filter(resource => resource.Type === type)
  return {
    folder,
    said: stdout + stderr,
    resources,
    outputs,
    ofType,
    properties: type => ofType(type).map(resource => resource.Properties),
    remove: () => rmSync(folder, { recursive: true }),
  }
}

/** The package for all tests of a file, or of a describe: empty until they run, and gone after them. */
export function packagedOnce(
  stage: string,
  parameters?: Record<string, string | number | boolean>,
): Packaged {
  const made = {} as Awaited<ReturnType<typeof packaged>>
  beforeAll(async () => {
    Object.assign(made, await packaged(stage, parameters))
  })
  afterAll(() => made.remove())
  return made
}

/** Everything that parameters can switch on. */
export const everythingOn = {
  sunsetAt: '2027-06-30T00:00:00Z',
  sunsetEnforced: true,
  documentationUrl: "https://docs.example.com/what's-new",
  gatewayAccessLogs: true,
  reservedConcurrency: 100,
  alarmTopicArn: 'arn:aws:sns:eu-central-1:123456789012:operators',
}

/** The names in a zip's central directory. */
export function namesInZip(zip: Buffer): string[] {
  const names: string[] = []
  for (let at = zip.indexOf('PK\x01\x02'); at !== -1; at = zip.indexOf('PK\x01\x02', at + 46))
    names.push(zip.toString('utf8', at + 46, at + 46 + zip.readUInt16LE(at + 28)))
  return names
}
