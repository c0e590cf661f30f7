/** The nine log sources, in a fixed order (CONTRACT: log sources). */
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

/** The name of a log source. */
export type SourceName = (typeof SOURCE_NAMES)[number]

/** Returns whether a text is the name of a source. */
export const isSourceName = (text: string): text is SourceName => (SOURCE_NAMES as readonly string[]).includes(text)

/** A field of a record that can contain the project, as a path. */
export type ProjectPlace = 'project' | 'metadata.project' | 'metadata.project_ref'

/** A log source: the names, and where records contain the project. */
export interface Source {
  name: SourceName
  /** The name that existing shippers send. */
  alias: string
  /** The fields that can contain the project. The first that is present is used. */
  projectPlaces: readonly ProjectPlace[]
}

const DEFAULT_PLACES: readonly ProjectPlace[] = ['project', 'metadata.project', 'metadata.project_ref']

function source(name: SourceName, alias: string, first: ProjectPlace): Source {
  return { name, alias, projectPlaces: [first, ...DEFAULT_PLACES.filter((place) => place !== first)] }
}

/** All sources, in the order of {@link SOURCE_NAMES}. */
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

/** Returns the source with that name or alias, or undefined. */
export function findSource(nameOrAlias: string): Source | undefined {
  return BY_NAME.get(nameOrAlias)
}
