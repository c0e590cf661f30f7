const BUILT_IN = [
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

/** The name of one of the nine sources. */
export type BuiltInSource = (typeof BUILT_IN)[number]

/** The name of a log source: of one of the nine, or of an own source. */
export type SourceName = string

/** The names of the nine built-in sources, in a fixed order (CONTRACT: log sources). */
export const SOURCE_NAMES: readonly BuiltInSource[] = BUILT_IN

/** The source of the history of alerts. The service makes its records; every way of ingest refuses them. */
export const HISTORY_SOURCE = 'alert_events'

/** A field of a record that can contain the project, as a path. */
export type ProjectPlace = 'project' | 'metadata.project' | 'metadata.project_ref'

/** A log source: the names, and where records contain the project. */
export interface Source {
  name: SourceName
  /** The name that existing shippers send. Own sources have none. */
  alias: string | undefined
  /** The fields that can contain the project. The first that is present is used. */
  projectPlaces: readonly ProjectPlace[]
}

type AliasedSource = Source & { name: BuiltInSource; alias: string }

/** The fields that can contain the project of a record of an own source. */
export const OWN_PROJECT_PLACES: readonly ProjectPlace[] = ['project', 'metadata.project', 'metadata.project_ref']

function source(name: BuiltInSource, alias: string, first: ProjectPlace): AliasedSource {
  return { name, alias, projectPlaces: [first, ...OWN_PROJECT_PLACES.filter((place) => place !== first)] }
}

/** The nine sources, in the order of {@link SOURCE_NAMES}. */
export const SOURCES: readonly AliasedSource[] = [
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

/** The sources that this process knows, the nine first. The list only grows: rows of a source stay readable. */
const known: Source[] = [...SOURCES]
/** The sources of the records that ingest accepts, the nine first, then the configured ones. */
const accepted: Source[] = [...SOURCES]
/** Whether ingest accepts the records of every known source, and makes sources of other names. */
let acceptsAny = false
const byName = new Map<string, Source>(SOURCES.flatMap((one) => [[one.name, one] as const, [one.alias, one] as const]))

/** Returns the known sources: the nine, then own sources in the order in which they became known. */
export const allSources = (): readonly Source[] => known

/** Returns the names of {@link allSources}. */
export const allSourceNames = (): readonly SourceName[] => known.map(({ name }) => name)

/** Returns the sources that are named for ingest: the nine, then the configured ones in their order. */
export const acceptedSources = (): readonly Source[] => accepted

/** Returns whether ingest accepts records of any own source: a name becomes a source with its first record. */
export const acceptsAnySource = (): boolean => acceptsAny

/** Returns the known own sources, in the order in which they became known. The history of alerts is none. */
export const ownSources = (): readonly Source[] =>
  known.slice(SOURCE_NAMES.length).filter(({ name }) => name !== HISTORY_SOURCE)

/** Returns the number of {@link ownSources}. */
export const ownSourceCount = (): number => ownSources().length

/** Returns the known source with that name or alias, or undefined. */
export function findSource(nameOrAlias: string): Source | undefined {
  return byName.get(nameOrAlias)
}

/** Returns the name of the source with that name or alias. A text that is neither is a name. */
export const nameOfSource = (nameOrAlias: string): SourceName => findSource(nameOrAlias)?.name ?? nameOrAlias

/** Returns the source with that name or alias, or undefined if ingest accepts no records of such a source. */
export function findAcceptedSource(nameOrAlias: string): Source | undefined {
  const found = byName.get(nameOrAlias)
  if (found === undefined || found.name === HISTORY_SOURCE) return undefined
  return acceptsAny || accepted.includes(found) ? found : undefined
}

/** Makes a source known to queries, as if its rows are on disk. Returns the known source if there is one. */
export function registerSource(name: SourceName): Source {
  const found = byName.get(name)
  if (found !== undefined) return found
  const made: Source = { name, alias: undefined, projectPlaces: OWN_PROJECT_PLACES }
  known.push(made)
  byName.set(name, made)
  return made
}

/**
 * Makes sources known, and lets ingest accept their records: the configured sources. `any`: ingest accepts the records
 * of all others too.
 */
export function acceptSources(names: readonly SourceName[], any = false): void {
  acceptsAny ||= any
  for (const name of names) {
    const source = registerSource(name)
    if (!accepted.includes(source)) accepted.push(source)
  }
}

/** Returns the names of the configured own sources, for the threads. */
export const ownSourceNames = (): readonly SourceName[] => accepted.slice(SOURCE_NAMES.length).map(({ name }) => name)

/** Returns whether a source is one of the nine. */
export const isBuiltIn = (name: SourceName): name is BuiltInSource => (SOURCE_NAMES as readonly string[]).includes(name)
