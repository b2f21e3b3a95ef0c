declare module 'dynalite' {
  import type { Server } from 'node:http'

  /** @param options `path`: folder of a LevelDB store; in memory without it */
  export default function dynalite(options: {
    path?: string
    createTableMs?: number
    deleteTableMs?: number
  }): Server
}

declare module 'dynalite/db/index.js' {
  /** A document path, an attribute value, or another expression such as a call of `size`. */
  export type Operand = (string | number)[] | Record<string, unknown> | Expression
  export interface Expression {
    type: string
    args: Operand[]
  }
  type Item = Record<string, Record<string, unknown>>

  const db: {
    /** Called for each conditional write. @returns the error of a condition that does not hold */
    checkConditional(
      input: { _condition?: { expression: Expression } },
      item?: Item,
    ): Error | null | undefined
    mapPath(path: (string | number)[], item: Item): Record<string, unknown> | undefined
  }
  export default db
}
