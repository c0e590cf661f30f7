import { readProgramFile } from '../base/program-files.js'
import type { Endpoint } from '../endpoints/endpoint.js'
import { checkedEndpoint } from '../user-endpoints/checked-endpoint.js'
import { type Compiler, lazySqlEndpoint } from '../user-endpoints/sql-endpoint.js'

/** The queries that only Supabase's Studio asks for. Each query is a file of this name and `.sql` in `endpoints`. */
export const STUDIO_QUERIES = [
  'auth.metrics',
  'functions.combined-stats',
  'functions.req-stats',
  'functions.resource-usage',
  'service-health',
] as const

/** Returns the text of the file of a query. */
export const textOfQuery = (name: (typeof STUDIO_QUERIES)[number]): string =>
  readProgramFile(new URL(`./endpoints/${name}.sql`, import.meta.url)).toString()

/**
 * Returns the endpoints of Studio's pages. The compiler is loaded, and a query compiled, when the first request for the
 * query arrives: Studio may never be opened.
 */
export function studioEndpoints(loadCompiler: () => Promise<Compiler>): readonly Endpoint[] {
  return STUDIO_QUERIES.map((name) => checkedEndpoint(lazySqlEndpoint(textOfQuery(name), name, loadCompiler)))
}

/**
 * Returns the endpoints of Studio's pages that no endpoint of the user replaces: an endpoint of the user with the same
 * name or id is meant as the replacement.
 */
export function notReplaced(ofStudio: readonly Endpoint[], ofUsers: readonly Endpoint[]): readonly Endpoint[] {
  return ofStudio.filter(({ id, name }) => !ofUsers.some((own) => own.name === name || own.id.toLowerCase() === id))
}
