import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

// biome-ignore lint/suspicious/noExplicitAny: a template has no type
type Section = Record<string, any>

/** A CloudFormation template. */
export interface Template {
  /** The parameters of the stage that differ from its defaults. */
  Metadata?: { Parameters?: Record<string, string> }
  Resources: Section
}

const templateFile = 'cloudformation-template-update-stack.json'
const stateFile = 'serverless-state.json'

/** Reads a package's template. */
export const readTemplate = (folder: string): Template =>
  JSON.parse(readFileSync(join(folder, templateFile), 'utf8'))

/** What the framework keeps of a package for its deployment. */
interface State {
  service: {
    provider: {
      compiledCloudFormationTemplate: Template
      stackTags: Record<string, string>
      iam?: { deploymentRole?: string }
      notificationArns?: string[]
      deploymentBucketObject?: { serverSideEncryption?: 'AES256' | 'aws:kms'; sseKMSKeyId?: string }
    }
  }
  package: { artifactDirectoryName: string }
}

export const readState = (folder: string): State => JSON.parse(readFileSync(join(folder, stateFile), 'utf8'))

/** Replaces a package's template, of which the framework keeps a second copy: it deploys that one. */
export function writeTemplate(folder: string, template: Template): void {
  const state = readState(folder)
  state.service.provider.compiledCloudFormationTemplate = template
  writeFileSync(join(folder, stateFile), JSON.stringify(state, null, 2))
  writeFileSync(join(folder, templateFile), JSON.stringify(template, null, 2))
}
