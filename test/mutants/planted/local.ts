import type { Mistake } from '../plant.ts'

/** Mistakes in the local stack, its engine, SAM and the smoke test, with the tests that find them. */
// biome-ignore format: one mistake a line
export const inLocal: readonly Mistake[] = [
  // The engine does what DynamoDB does.
  ['infra/dynamodb/transactions.ts', "(isCancelled || kind === 'ConditionCheck')", "kind === 'ConditionCheck'", 'infra/dynamodb/transactions'],
  ['infra/dynamodb/transactions.ts', "if (typeof token === 'string') succeeded.set", 'if (token === null) succeeded.set', 'infra/dynamodb/transactions'],
  ['infra/dynamodb/statements.ts', 'if (new Set(keys).size < keys.length)', 'if (new Set(keys).size < 0)', 'infra/dynamodb/statements'],
  ['infra/dynamodb/statements.ts', "=== 'ALL_OLD'", "=== 'ALL_NEW'", 'infra/dynamodb/statements'],
  ['infra/dynamodb/partiql.ts', 'Expected = { [keyNames[0] as string]: { Exists: false } }', 'Expected = {}', 'infra/dynamodb/statements'],
  ['infra/dynamodb/partiql.ts', "'attribute_not_exists(#$1) OR #$1'", "'attribute_exists(#$1) AND #$1'", 'infra/dynamodb/statements'],
  ['infra/dynamodb/comparison.ts', "type === 'M' || type === 'L'", "type === 'L'", 'infra/dynamodb/transactions'],
  ['infra/dynamodb/engine.ts', "cause.code !== 'LEVEL_LOCKED'", "cause.code === 'LEVEL_LOCKED'", 'infra/local/stack'],
  // The local stack: the gateway does what AWS does, and builds are apart from the stack and from each other.
  ['infra/local/gateway/rest-event.ts', 'values.at(-1)', 'values[0]', 'infra/local/gateway'],
  ['infra/local/gateway/find-route.ts', '[^/]+)', '.+)', 'end-to-end/endpoints'],
  ['infra/local/gateway/reply.ts', 'body.unpipe(response).resume()', 'body.unpipe(response)', 'infra/local/gateway'],
  ['infra/local/gateway/reply.ts', 'fault && response.destroy()', 'fault && response.end()', 'infra/local/gateway'],
  ['infra/local/gateway/request-log.ts', 'response.headersSent && response', 'response', 'infra/local/gateway'],
  ['infra/local/functions/functions.ts', 'process.env = variables', 'Object.assign(process.env, variables)', 'infra/commands/start'],
  ['infra/local/functions/functions.ts', 'isRetired && calls === 0', 'isRetired', 'infra/local/functions'],
  ['infra/local/functions/functions.ts', 'join(folder, String(builds))', "join(folder, 'build')", 'infra/commands/start'],
  ['infra/local/functions/apart.ts', 'for (const socket of own.sockets) socket.destroy()', 'own.sockets.clear()', 'infra/local/functions'],
  ['infra/local/functions/apart.ts', 'if (owner === own) clearTimeout', 'if (owner !== own) clearTimeout', 'infra/local/functions'],
  ['infra/local/functions/apart.ts', 'if (own === undefined) return false', 'if (own !== null) return false', 'infra/commands/start'],
  ['infra/local/functions/apart.ts', 'inStack(log,', '((write, line) => write(line))(log,', 'infra/commands/start'],
  ['infra/commands/start.ts', 'stop().then(exit)', 'exit()', 'infra/commands/start'],
  ['infra/local/reload.ts', 'previous.retire()\n', 'previous.retire\n', 'infra/local/reload'],
  ['infra/local/gateway/request-log.ts', 'const close = outside(() =>', 'const close = (f => f)(() =>', 'infra/local/gateway'],
  ['infra/local/table.ts', 'keep ? dataDirectory :', 'keep || true ? dataDirectory :', 'infra/local/stack'],
  ['infra/local/issuer.ts', 'mode: 0o600', 'mode: 0o644', 'infra/local/stack'],
  // SAM and the smoke test.
  ['infra/sam/template.ts', "responseTransferMode: 'BUFFERED'", "responseTransferMode: 'STREAM'", 'infra/sam/sam'],
  ['infra/sam/serve.ts', 'env: { ...withoutCallersAws(process.env)', 'env: { ...process.env', 'infra/sam/sam'],
  ['infra/sam/serve.ts', 'started.defer(removeContainers)', 'started.defer(async () => {})', 'infra/sam/sam'],
  ['infra/smoke/smoke.ts', 'if (answer.status !== status || json?.code !== code)', 'if (answer.status !== status)', 'infra/smoke/smoke'],
  ['infra/smoke/smoke.ts', "'', 'DELETE')", "token, 'DELETE')", 'infra/smoke/smoke'],
  ['infra/smoke/smoke.ts', "      failed++\n", '', 'infra/smoke/smoke'],
]
