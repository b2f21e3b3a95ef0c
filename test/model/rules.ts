/** By which rules the processes of a run go: how much they do at once, and which mistake they make, if any. */
export interface Rules {
  /** Edges in one page of a Query. */
  pageSize: 1 | 2
  /** The provider has an SSO provider, so users may hang on it in two ways. */
  twoWays: boolean
  /** What a Query shows only a moment after the commit: that the linker links, that the mover and the eraser unlink. */
  late: readonly ('links' | 'leaves')[]
  mistake: Mistake | undefined
}

/** Mistakes that the search must find: without them it would prove nothing. */
export type Mistake =
  // in the order of the work
  | 'it lists before it begins'
  | 'it finishes before it unlinks'
  | 'it marks before it has unlinked'
  | 'it deletes the edge instead of marking it'
  | 'it lists what this try unlinked'
  // in the reading
  | 'it reads eventually consistently'
  | 'it reads the first page only'
  | 'it does not settle'
  | 'it settles until the count is right'
  | 'it judges the time after the reading'
  | 'it suspects too few members only'
  // in the unlinking
  | 'it unlinks unconditionally'
  | 'it does not try again when refused'
  | 'it tries again once only'
  // in what the marks go by
  | 'it takes any expiry for a mark'
  | 'it keeps what an older removal left'
  | 'it goes by its own values when another has begun'
  | 'it sets the retention anew with each try'
  | 'it replaces what another has mended'
  // in the answer
  | 'it knows no removed provider'
  // of somebody else
  | 'the mover always deletes the edge'
