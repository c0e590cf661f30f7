import { fileNameOf } from '../config/setting.js'
import { QUERY_SETTINGS } from '../config/settings.js'
import type { Endpoint } from '../endpoints/endpoint.js'

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i
const NAME = /^[a-z]\w*([.-]\w+)*$/i
const PARAMETER = /^[a-z]\w{0,63}$/i

const MOST_NAME = 100
const MOST_ROWS = 10_000
const MOST_TTL_S = 86_400
const MOST_PARAMETERS = 50
const MOST_SQL = 65_536

/** `logweir query` reads these for itself. */
const FLAGS = new Set(['help', ...Object.keys(QUERY_SETTINGS).map(fileNameOf)])

const isWhole = (value: unknown, least: number, most: number) =>
  Number.isInteger(value) && (value as number) >= least && (value as number) <= most

const isText = (value: unknown, most: number): value is string =>
  typeof value === 'string' && value.trim() !== '' && value.length <= most

/** Whether an export of a module is an endpoint, right or wrong. */
export function isEndpoint(value: unknown): value is Endpoint {
  return typeof value === 'object' && value !== null && 'callBound' in value && 'params' in value
}

/** What is wrong with an endpoint, and how to mend it; undefined where nothing is. */
export function faultOf({ id, name, maxRows, cache, query, params }: Endpoint): string | undefined {
  if (!isText(name, MOST_NAME) || !NAME.test(name) || UUID.test(name)) {
    return `the name ${shown(name)} is not one of letters, digits, dots, dashes and _, that begins with a letter, at most ${MOST_NAME} characters`
  }
  if (typeof id !== 'string' || !UUID.test(id)) return `the id ${shown(id)} of ${name} is not a UUID`
  if (!isWhole(maxRows, 1, MOST_ROWS)) {
    return `maxRows of ${name} is ${shown(maxRows)}, not an integer from 1 to ${MOST_ROWS}`
  }
  if (!isText(query, MOST_SQL)) return `query of ${name} is not a text of 1 to ${MOST_SQL} characters`
  return faultOfCache(name, cache) ?? faultOfParameters(name, params)
}

function faultOfCache(name: string, cache: unknown): string | undefined {
  if (cache === 'disabled') return undefined
  const { ttlS, warmS } = Object(cache) as { ttlS?: unknown; warmS?: unknown }
  if (isWhole(ttlS, 1, MOST_TTL_S) && isWhole(warmS, 1, ttlS as number)) return undefined
  return `cache of ${name} is neither 'disabled' nor { ttlS, warmS } with integers: ttlS from 1 to ${MOST_TTL_S}, warmS from 1 to ttlS`
}

function faultOfParameters(name: string, params: unknown): string | undefined {
  if (typeof params !== 'object' || params === null) return `params of ${name} is no object`
  const all = Object.entries(params)
  if (all.length > MOST_PARAMETERS) return `${name} has over ${MOST_PARAMETERS} parameters`
  for (const [parameter, param] of all) {
    if (!PARAMETER.test(parameter)) {
      return `the parameter ${shown(parameter)} of ${name} is not one of letters, digits and _, that begins with a letter, at most 64 characters`
    }
    if (FLAGS.has(parameter.replaceAll('_', '-'))) {
      return `the parameter ${parameter} of ${name} has the name of a flag of "logweir query". Give it another`
    }
    if (!isParam(param)) {
      return `the parameter ${parameter} of ${name} is none. Make it with text(), optionalText(), word(), timestamp() or pattern()`
    }
  }
  return undefined
}

function isParam(value: unknown): boolean {
  const { read, required, description } = Object(value) as Record<string, unknown>
  return typeof read === 'function' && typeof required === 'boolean' && typeof description === 'string'
}

const shown = (value: unknown) => (JSON.stringify(value) ?? String(value)).slice(0, MOST_NAME)
