/** The rules of a run: how much its processes do at once, and the mistake that they make, if any. */
export interface Rules {
  /** Memberships in one page of a Query. */
  pageSize: 1 | 2
  /** Whether the provider has an SSO provider, so that users may be linked in two ways. */
  twoWays: boolean
  /** What a Query shows only some time after the commit: the linker's links, the unlinks of mover and eraser. */
  late: readonly ('links' | 'leaves')[]
  mistake: Mistake | undefined
}

/** Mistakes that the search must find, which shows that the search works. */
export type Mistake =
  // in the order of the stages
  | 'it lists before it begins'
  | 'it finishes before it unlinks'
  | 'it marks before it has unlinked'
  | 'it deletes the membership instead of marking it'
  | 'it lists what this attempt unlinked'
  // in the listing
  | 'it reads eventually consistently'
  | 'it reads the first page only'
  | 'it does not settle'
  | 'it settles until the count is right'
  | 'it checks the time after the read'
  | 'it lists again only for too few members'
  // in the unlinking
  | 'it unlinks unconditionally'
  | 'it does not retry a refused update'
  | 'it retries a refused update only once'
  // in retained_until
  | 'it accepts any expires_at as a mark'
  | 'it keeps the attributes of an older removal'
  | 'it uses its own values when another has begun'
  | 'it sets a new retention with each attempt'
  | 'it replaces what another has repaired'
  // in the answer
  | 'it does not find a removed provider'
  | 'it repeats every membership'
  | 'it repeats a shorter list'
  | 'it believes its list when another has finished'
  // of another writer
  | 'the mover always deletes the membership'
