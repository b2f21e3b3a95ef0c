import type { AwsConfig } from './checks/stack.ts'
import type { Template } from './template.ts'

/** What the plugin uses of the framework: its guide "Creating plugins", and getAwsSdkV3Config of "Upgrading to v4". */
export interface Serverless {
  service: {
    provider: { compiledCloudFormationTemplate: Template; stackTags: Record<string, string> }
  }
  /** An error of this class is printed as its message, any other with its stack. */
  classes: { Error: new (message: string) => Error }
  extendConfiguration(path: string[], value: unknown): void
  /** The words of the command, such as `deploy list`. */
  processedInput: { commands: string[] }
  getProvider(name: 'aws'): {
    getStage(): string
    getAwsSdkV3Config(): Promise<AwsConfig>
    getServerlessDeploymentBucketName(): Promise<string>
    getDeploymentPrefix(): string
    naming: { getStackName(): string; getCompiledTemplateS3Suffix(): string }
  }
}

/** The options of the command; the framework's own plugins read the same object. */
export interface Options {
  param?: string[]
  /** Of `deploy`: also what is as in the last package. */
  force?: boolean
  /** Of `deploy`: the folder of a package that is made already. */
  package?: string
  /** Of `rollback`. */
  timestamp?: string
}

/** `${NAME:address}` in serverless.yml. */
export interface VariableSource {
  resolve(asked: Asked): Promise<{ value: unknown }>
}

export interface Asked {
  address: string
  resolveVariable: (address: string) => Promise<unknown>
}
