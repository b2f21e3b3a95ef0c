/** What an emulator does not emulate, as far as the smoke test sees it. */
interface Emulator {
  name: string
  /** By the name of the check that it cannot pass: how that check fails there, and why. */
  gaps: Readonly<Record<string, { failure: RegExp; reason: string }>>
}

const ownAnswers = {
  failure: /^answered 40[34] without a code/,
  reason: "ignores the templates of API Gateway's own answers",
}

/** The emulators that are known, by the value of the option `--emulator`. */
export const emulators: Readonly<Record<string, Emulator>> = {
  sam: { name: 'SAM CLI', gaps: { 'unknown route': ownAnswers } },
  localstack: { name: 'LocalStack', gaps: { 'unknown route': ownAnswers } },
}
