import { Failure } from '../../domain/failure.ts'

/**
 * Goes on only while the condition holds.
 *
 * @param why for the log; holds nothing of the token
 * @throws Failure `token_rejected`
 */
export function assertToken(condition: boolean, why: string): asserts condition {
  if (!condition) throw new Failure('token_rejected', {}, new Error(why))
}
