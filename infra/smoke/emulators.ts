/** An emulator and its known gaps. */
interface Emulator {
  name: string
  /** By the name of a check: how it fails on this emulator, and why. */
  gaps: Readonly<Record<string, { failure: RegExp; reason: string }>>
}

const ownAnswers = {
  failure: /^answered 40[34] without a code/,
  reason: "ignores the templates of API Gateway's own answers",
}

/** The emulators by the value of the option `--emulator`. */
export const emulators: Readonly<Record<string, Emulator>> = {
  sam: { name: 'SAM CLI', gaps: { 'unknown route': ownAnswers } },
  localstack: { name: 'LocalStack', gaps: { 'unknown route': ownAnswers } },
}
