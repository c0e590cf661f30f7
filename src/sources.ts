/** The nine log sources, their aliases, and where each keeps its project (CONTRACT: log sources). */

export const SOURCE_NAMES = [
  'edge_logs',
  'postgres_logs',
  'function_edge_logs',
  'function_logs',
  'auth_logs',
  'realtime_logs',
  'storage_logs',
  'postgrest_logs',
  'pgbouncer_logs',
] as const

export type SourceName = (typeof SOURCE_NAMES)[number]

/** A place in a record that can hold its project. */
export type ProjectPlace = 'project' | 'metadata.project' | 'metadata.project_ref'

export interface Source {
  name: SourceName
  /** The name that existing shippers send. */
  alias: string
  /** The places to look for the project, first one first. */
  projectPlaces: readonly ProjectPlace[]
}

const DEFAULT_PLACES: readonly ProjectPlace[] = ['project', 'metadata.project', 'metadata.project_ref']

function source(name: SourceName, alias: string, first: ProjectPlace): Source {
  return { name, alias, projectPlaces: [first, ...DEFAULT_PLACES.filter((place) => place !== first)] }
}

export const SOURCES: readonly Source[] = [
  source('edge_logs', 'cloudflare.logs.prod', 'project'),
  source('postgres_logs', 'postgres.logs', 'project'),
  source('function_edge_logs', 'deno-relay-logs', 'metadata.project_ref'),
  source('function_logs', 'deno-subhosting-events', 'metadata.project_ref'),
  source('auth_logs', 'gotrue.logs.prod', 'project'),
  source('realtime_logs', 'realtime.logs.prod', 'metadata.project'),
  source('storage_logs', 'storage.logs.prod.2', 'metadata.project'),
  source('postgrest_logs', 'postgREST.logs.prod', 'project'),
  source('pgbouncer_logs', 'pgbouncer.logs.prod', 'project'),
]

const BY_NAME = new Map(SOURCES.flatMap((s) => [[s.name as string, s] as const, [s.alias, s] as const]))

/** The source with that name or alias, or undefined. */
export function findSource(nameOrAlias: string): Source | undefined {
  return BY_NAME.get(nameOrAlias)
}
