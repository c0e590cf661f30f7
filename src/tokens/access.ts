import type { Limit } from './limit.js'

/** The permissions that a token can have: to run queries, to send records, and to delete rows. */
export const SCOPES = ['query', 'ingest', 'delete'] as const

/** A permission of a token. */
export type Scope = (typeof SCOPES)[number]

/** The permissions and limits of a token. */
export interface Access {
  scopes: ReadonlySet<Scope>
  /** The projects to which queries and records of the token are restricted. Undefined: all projects. */
  projects: ReadonlySet<string> | undefined
  /** The id of a token that is bound to projects. The id stays the same when the file of tokens is read again. */
  id?: string | undefined
  /** The id of a token of a file, and the name in parentheses if the token has one. For people. */
  label?: string | undefined
  /** The rate limit of the token's requests. Undefined: no limit. */
  limit?: Limit | undefined
}

/**
 * Returns the project of a request or a record that names none. The only project of a token wins over the default
 * project of the service, which a token that is bound to several projects gets only if the token is bound to it.
 * Undefined: there is no such project.
 */
export function projectForNone(
  projects: ReadonlySet<string> | undefined,
  ofService: string | undefined,
): string | undefined {
  if (projects === undefined) return ofService
  if (projects.size === 1) return [...projects][0]
  return ofService !== undefined && projects.has(ofService) ? ofService : undefined
}

/** The access of a token that was not made for something less: queries and records of all projects, no rate limit. */
export const FULL_ACCESS: Access = { scopes: new Set(['query', 'ingest']), projects: undefined }

/** The access of a token that may only send records, of any project. */
export const INGEST_ACCESS: Access = { scopes: new Set(['ingest']), projects: undefined }
