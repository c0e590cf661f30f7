import type { Log } from '../../base/log.js'
import type { Metrics } from '../../base/metrics.js'
import type { Endpoint } from '../../endpoints/endpoint.js'
import { isGiven } from './search.js'

/** The parameters in which Logflare takes a query: Supabase Studio sends `sql`, older versions `lql`. */
const QUERY_PARAMETERS = ['sql', 'lql'] as const

/**
 * Returns a function that reports a query in the request's parameters that the endpoint ignores: the client gets other
 * rows than requested. The function takes the endpoint and the query string. Each request is counted. The log has a
 * single line for each endpoint and parameter, without the value.
 */
export function createUnreadReport(
  { unreadParameters }: Pick<Metrics, 'unreadParameters'>,
  log: Log,
): (endpoint: Endpoint, search: string) => void {
  const logged = new Set<string>()

  function report(endpoint: string, parameter: string): void {
    unreadParameters.inc({ parameter })
    const key = `${parameter} ${endpoint}`
    if (logged.has(key)) return
    logged.add(key)
    const remedy = endpoint === 'logs.all' && parameter === 'sql' ? 'Start with --sql, leave' : 'Leave'
    log(
      `endpoint ${endpoint} ignores the parameter "${parameter}": its client gets the rows of the stored query. ` +
        `${remedy} this client on Logflare, or write an endpoint of your own (docs/logflare.md). ` +
        'Logged once, counted in logweir_unread_parameters_total.',
      { level: 'warn', code: 'unread_parameter', endpoint, parameter },
    )
  }

  for (const parameter of QUERY_PARAMETERS) unreadParameters.inc({ parameter }, 0)
  return ({ name, params, refusesUnknown }, search) => {
    // Most query strings contain neither, and are not parsed.
    if (refusesUnknown || !search.includes('ql=')) return
    for (const parameter of QUERY_PARAMETERS) {
      if (!Object.hasOwn(params, parameter) && isGiven(search, parameter)) report(name, parameter)
    }
  }
}
