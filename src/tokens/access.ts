import type { Limit } from './limit.js'

/** What a token may be used for: to ask, or to bring records. */
export type Scope = 'query' | 'ingest'

/** What the token of a request opens. */
export interface Access {
  scopes: ReadonlySet<Scope>
  /** The only projects that it may see and bring records of; undefined: all. */
  projects: ReadonlySet<string> | undefined
  /** How often it may be used; absent: as often as one likes. */
  limit?: Limit | undefined
}

/** What a token opens that nothing more is said of. */
export const FULL_ACCESS: Access = { scopes: new Set(['query', 'ingest']), projects: undefined }
