// biome-ignore lint/suspicious/noExplicitAny: a template has no type
type Section = Record<string, any>

/** A CloudFormation template. */
export interface Template {
  Resources: Section
}

/** What the plugin uses of the framework ("Creating plugins" in its guide). */
export interface Serverless {
  service: {
    provider: { environment: Record<string, string>; compiledCloudFormationTemplate: Template }
    /** Each with the name that it has in Lambda. */
    functions: Record<string, { name: string }>
    /** The parts of `resources` in serverless.yml, merged. */
    resources: Template
  }
  /** An error of this class is printed as its message, any other with its stack. */
  classes: { Error: new (message: string) => Error }
  extendConfiguration(path: string[], value: unknown): void
}

/** The options of the command; the framework's own plugins read the same object. */
export interface Options {
  stage?: string
  param?: string[]
  /** Of `deploy`: also what is as in the last package. */
  force?: boolean
  /** Of `deploy`: the folder of a package that is made already. */
  package?: string
}

/** `${NAME:address}` in serverless.yml. */
export interface VariableSource {
  resolve(asked: {
    address: string
    resolveVariable: (address: string) => Promise<unknown>
  }): Promise<{ value: unknown }>
}
