/** The rules of a run: how much its processes do at once, and the mistake that they make, if any. */
export interface Rules {
  /** Memberships in one page of a Query; 3 are all. */
  pageSize: 1 | 2 | 3
  /** What a Query shows only some time after the commit: the linker's links, the unlinks of mover and eraser. */
  late: readonly ('links' | 'leaves')[]
  /** A mistake of mistakes.test.ts. */
  mistake: string | undefined
}
