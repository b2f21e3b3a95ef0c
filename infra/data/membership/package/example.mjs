// node example.mjs TABLE USER PROVIDER OTHER: links a user who has no link to one provider, moves the user to another
// one, unlinks the user, and erases the user. Try it on the table of `npm start`, with DYNAMODB_ENDPOINT as printed there.
import process, { argv, env, stderr, stdout } from 'node:process'
import { openMemberships } from 'saml-memberships'

const [, , tableName = '', userId = '', providerId = '', otherId = ''] = argv
const memberships = openMemberships({
  tableName,
  ...(env.DYNAMODB_ENDPOINT && { endpoint: env.DYNAMODB_ENDPOINT }),
})
try {
  const linked = await memberships.link(userId, { samlProviderId: Number(providerId) })
  // Every outcome is a word: 'linked', or why nothing was changed, such as 'provider_not_active'.
  stdout.write(`link: ${linked}\n`)
  // The limit of your own request ends the attempts.
  const limit = AbortSignal.timeout(10_000)
  stdout.write(`move: ${await memberships.move(userId, { samlProviderId: Number(otherId) }, limit)}\n`)
  stdout.write(`unlink: ${await memberships.unlink(userId, Number(otherId))}\n`)
  stdout.write(`erase: ${await memberships.erase(userId)}\n`)
} catch (error) {
  stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
} finally {
  memberships.close()
}
