import type { Limit } from './limit.js'

/** A permission of a token: to run queries, or to send records. */
export type Scope = 'query' | 'ingest'

/** The permissions and limits of a token. */
export interface Access {
  scopes: ReadonlySet<Scope>
  /** The projects to which queries and records of the token are restricted; undefined: all projects. */
  projects: ReadonlySet<string> | undefined
  /** The rate limit of its requests; undefined: none. */
  limit?: Limit | undefined
}

/** The access of a token without restrictions: all scopes and projects, no rate limit. */
export const FULL_ACCESS: Access = { scopes: new Set(['query', 'ingest']), projects: undefined }

/** The access of a token that may only send records, of any project. */
export const INGEST_ACCESS: Access = { scopes: new Set(['ingest']), projects: undefined }
