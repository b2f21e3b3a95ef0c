// The published types are of a version without `preferred`.
declare module 'negotiator' {
  export default class Negotiator {
    constructor(request: { headers: Record<string, string> })
    /** The coding that the client accepts most; among equals, the first of `preferred`. */
    encoding<T>(available: readonly T[], options: { preferred: readonly T[] }): T | undefined
  }
}
