// biome-ignore lint/suspicious/noExplicitAny: a template has no type
type Section = Record<string, any>

/** A CloudFormation template. */
export interface Template {
  Resources: Section
  Outputs?: Section
}
