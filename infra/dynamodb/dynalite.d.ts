declare module 'dynalite' {
  import type { Server } from 'node:http'

  /** @param options `path`: folder of a LevelDB store; in memory without it */
  export default function dynalite(options: {
    path?: string
    createTableMs?: number
    deleteTableMs?: number
  }): Server
}
