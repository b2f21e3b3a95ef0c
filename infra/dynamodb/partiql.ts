import { Refused, type WireItem, type WireValue } from './wire.ts'

/** A parsed statement; the item of an INSERT is in `equal`. */
export interface Write {
  kind: 'update' | 'insert'
  table: string
  set: WireItem
  remove: string[]
  /** `attribute = ?` */
  equal: WireItem
  /** `(attribute IS MISSING OR attribute <> ?)` */
  missingOrNot: WireItem
}

/**
 * Parses the PartiQL that this engine supports; each `?` takes the next parameter:
 *
 * - `UPDATE "table" SET a = ? REMOVE b REMOVE c WHERE PK = ? AND SK = ? AND d = ? AND (e IS MISSING OR e <> ?)`
 * - `INSERT INTO "table" VALUE {'PK': ?, 'SK': ?, 'a': ?}`
 *
 * @throws Refused for any other text, and for too few or too many parameters
 */
export function parseStatement(statement: string, parameters: WireValue[]): Write {
  const left = [...parameters]
  const next = (): WireValue => {
    const value = left.shift()
    if (value === undefined) throw invalid(wrongCount)
    return value
  }
  const write = update(statement, next) ?? insert(statement, next)
  if (write === undefined)
    throw invalid(`Statement wasn't well formed, or is not supported by this engine: ${statement}`)
  if (left.length > 0) throw invalid(wrongCount)
  return write
}

type Next = () => WireValue

function update(statement: string, next: Next): Write | undefined {
  const [, table, changes, conditions] =
    /^UPDATE "([\w.-]+)"((?: SET \w+ = \?| REMOVE \w+)+) WHERE (.+)$/.exec(statement) ?? []
  if (table === undefined || changes === undefined || conditions === undefined) return undefined
  const write: Write = { kind: 'update', table, set: {}, remove: [], equal: {}, missingOrNot: {} }
  for (const [, set, remove] of changes.matchAll(/ SET (\w+) = \?| REMOVE (\w+)/g)) {
    if (set !== undefined) write.set[set] = next()
    if (remove !== undefined) write.remove.push(remove)
  }
  for (const condition of conditions.split(' AND ')) {
    const [, equal] = /^(\w+) = \?$/.exec(condition) ?? []
    const [, other] = /^\((\w+) IS MISSING OR \1 <> \?\)$/.exec(condition) ?? []
    if (equal !== undefined) write.equal[equal] = next()
    else if (other !== undefined) write.missingOrNot[other] = next()
    else return undefined
  }
  return write
}

function insert(statement: string, next: Next): Write | undefined {
  const [, table, members] =
    /^INSERT INTO "([\w.-]+)" VALUE \{('\w+': \?(?:, '\w+': \?)*)\}$/.exec(statement) ?? []
  if (table === undefined || members === undefined) return undefined
  const names = [...members.matchAll(/'(\w+)'/g)].map(([, name]) => name as string)
  const equal = Object.fromEntries(names.map(name => [name, next()]))
  return { kind: 'insert', table, set: {}, remove: [], equal, missingOrNot: {} }
}

const wrongCount = "Number of parameters in request and statement don't match."
const invalid = (message: string) => new Refused('ValidationException', message)
