import type { Mistake } from '../plant.ts'

/** Mistakes in the local stack, its engine, SAM and the smoke test, with the tests that find them. */
// biome-ignore format: one mistake a line
export const inLocal: readonly Mistake[] = [
  // The engine does what DynamoDB does.
  ['infra/dynamodb/transactions.ts', "(isCancelled || kind === 'ConditionCheck')", "kind === 'ConditionCheck'", 'infra/dynamodb/vectors'],
  ['infra/dynamodb/transactions.ts', "if (typeof token === 'string') succeeded.set", 'if (token === null) succeeded.set', 'infra/dynamodb/vectors'],
  ['infra/dynamodb/statements.ts', 'if (new Set(keys).size < keys.length)', 'if (new Set(keys).size < 0)', 'infra/dynamodb/vectors'],
  ['infra/dynamodb/statements.ts', "=== 'ALL_OLD'", "=== 'ALL_NEW'", 'infra/dynamodb/vectors'],
  ['infra/dynamodb/partiql.ts', 'Expected = { [keyNames[0] as string]: { Exists: false } }', 'Expected = {}', 'infra/dynamodb/vectors'],
  ['infra/dynamodb/partiql.ts', "'attribute_not_exists(#$1) OR #$1'", "'attribute_exists(#$1) AND #$1'", 'infra/dynamodb/vectors'],
  ['infra/dynamodb/comparison.ts', "type === 'M' || type === 'L'", "type === 'L'", 'infra/dynamodb/vectors'],
  // The gateway and the functions do what AWS does.
  ['infra/local/gateway/rest-event.ts', 'values.at(-1)', 'values[0]', 'infra/local/gateway/rest-event'],
  ['infra/local/gateway/find-route.ts', '[^/]+)', '.+)', 'infra/local/gateway/gateway'],
  ['infra/local/gateway/quotas.ts', "Buffer.byteLength(text, 'latin1') + 2", "Buffer.byteLength(text, 'latin1')", 'infra/local/gateway/bad-input'],
  ['infra/local/lambda/response-stream.ts', 'stream.sendMetadata(metadata)\n', 'stream.emit("metadata", metadata)\n', 'infra/local/lambda/streaming'],
  ['infra/local/lock.ts', 'BEGIN EXCLUSIVE', 'BEGIN', 'infra/local/lock'],
  ['infra/local/issuer.ts', 'mode: 0o600', 'mode: 0o644', 'infra/local/issuer'],
  // SAM and the smoke test.
  ['infra/sam/template.ts', "responseTransferMode: 'BUFFERED'", "responseTransferMode: 'STREAM'", 'infra/sam/template'],
  ['infra/smoke/removal-check.ts', 'if (again.status !== 200 || !isDeepStrictEqual(again.json, first.json))', 'if (again.status !== 200)', 'infra/smoke/removal-check'],
  ['infra/smoke/removal-check.ts', 'attribute_not_exists(PK) OR #name = :name', 'attribute_not_exists(PK) OR #name <> :name OR #name = :name', 'infra/smoke/removal-check'],
  ['infra/smoke/checks.ts', "if (status !== wanted || found !== code)", 'if (status !== wanted)', 'infra/smoke/smoke'],
]
