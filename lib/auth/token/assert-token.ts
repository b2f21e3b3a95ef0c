import { Failure } from '../../domain/failure.ts'

/**
 * Rejects the token unless the condition holds.
 *
 * @param why for the log; it quotes nothing of the token
 * @throws Failure `token_rejected`
 */
export function assertToken(condition: boolean, why: string): asserts condition {
  if (!condition) throw new Failure('token_rejected', {}, new Error(why))
}
