// Typed here, because the published types are of a version without `preferred`.
declare module 'negotiator' {
  export default class Negotiator {
    constructor(request: { headers: Record<string, string> })
    /** The first of those that the client accepts most; among equals, the preferred ones in their order. */
    encoding(available: string[], options?: { preferred?: string[] }): string | undefined
  }
}
