import { ENDPOINT_NAME, MAX_ENDPOINT_NAME_CHARACTERS, MAX_ENDPOINT_ROWS, MAX_VIEW_ROWS } from '../common/limits.js'
import { QUERY_SETTINGS } from '../config/client-settings.js'
import { fileNameOf } from '../config/setting.js'
import type { Endpoint } from '../endpoints/endpoint.js'
import { isView } from './view.js'

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i
const PARAMETER = /^[a-z]\w{0,63}$/i

/** Maximum of `ttlS`, in seconds. */
export const MAX_TTL_S = 86_400
/** Maximum of `summary`, in characters. */
export const MAX_SUMMARY_CHARACTERS = 200
/** The most parameters of an endpoint. */
export const MAX_PARAMETERS = 50
const MAX_SQL_CHARACTERS = 65_536

/** Flags that `logweir query` reads itself, so that no parameter may have their names. */
// The command has only a variable for `project`: the flag is the parameter of the endpoint.
const { project: _, ...SETTINGS_WITH_FLAGS } = QUERY_SETTINGS
const FLAGS = new Set(['help', ...Object.keys(SETTINGS_WITH_FLAGS).map(fileNameOf)])

const isIntegerIn = (value: unknown, min: number, max: number) =>
  Number.isInteger(value) && (value as number) >= min && (value as number) <= max

const isText = (value: unknown, maxCharacters: number): value is string =>
  typeof value === 'string' && value.trim() !== '' && value.length <= maxCharacters

/** Returns whether an export of a module was made by `endpoint(…)`. The fields may still be invalid. */
export function isEndpoint(value: unknown): value is Endpoint {
  return typeof value === 'object' && value !== null && 'callBound' in value && 'params' in value
}

/**
 * Returns an error message that names the invalid field of an endpoint and the valid values, without a final dot.
 * Returns undefined if the endpoint is valid.
 */
export function validateEndpoint(endpoint: Endpoint): string | undefined {
  const { id, name, summary, maxRows, cache, query, params } = endpoint
  if (!isText(name, MAX_ENDPOINT_NAME_CHARACTERS) || !ENDPOINT_NAME.test(name) || UUID.test(name)) {
    return (
      `the name ${quoted(name)} is invalid: ` +
      `use at most ${MAX_ENDPOINT_NAME_CHARACTERS} letters, digits, dots, dashes and _, and begin with a letter`
    )
  }
  if (typeof id !== 'string' || !UUID.test(id)) return `the id ${quoted(id)} of ${name} is not a UUID`
  if (summary !== undefined && !isText(summary, MAX_SUMMARY_CHARACTERS))
    return `summary of ${name} is not a text of 1 to ${MAX_SUMMARY_CHARACTERS} characters`
  const mostRows = isView(endpoint) ? MAX_VIEW_ROWS : MAX_ENDPOINT_ROWS
  if (!isIntegerIn(maxRows, 1, mostRows)) {
    return `maxRows of ${name} is ${quoted(maxRows)}, not an integer from 1 to ${mostRows}`
  }
  if (!isText(query, MAX_SQL_CHARACTERS))
    return `query of ${name} is not a text of 1 to ${MAX_SQL_CHARACTERS} characters`
  return validateCache(name, cache) ?? validateParameters(name, params)
}

function validateCache(name: string, cache: unknown): string | undefined {
  if (cache === 'disabled') return undefined
  const { ttlS, warmS } = Object(cache) as { ttlS?: unknown; warmS?: unknown }
  if (isIntegerIn(ttlS, 1, MAX_TTL_S) && isIntegerIn(warmS, 1, ttlS as number)) return undefined
  return (
    `cache of ${name} is neither 'disabled' nor { ttlS, warmS } with integers: ` +
    `ttlS from 1 to ${MAX_TTL_S}, warmS from 1 to ttlS`
  )
}

function validateParameters(name: string, params: unknown): string | undefined {
  if (typeof params !== 'object' || params === null) return `params of ${name} is not an object`
  const all = Object.entries(params)
  if (all.length > MAX_PARAMETERS) return `${name} has over ${MAX_PARAMETERS} parameters`
  for (const [parameter, param] of all) {
    if (!PARAMETER.test(parameter)) {
      return (
        `the parameter name ${quoted(parameter)} of ${name} is invalid: ` +
        'use at most 64 letters, digits and _, and begin with a letter'
      )
    }
    if (FLAGS.has(parameter.replaceAll('_', '-'))) {
      return `the parameter ${parameter} of ${name} has the name of a flag of "logweir query". Rename it`
    }
    if (!isParam(param)) {
      return (
        `the parameter ${parameter} of ${name} is not a parameter object. ` +
        'Make it with text(), optionalText(), word(), number(), timestamp() or pattern()'
      )
    }
  }
  return undefined
}

function isParam(value: unknown): boolean {
  const { read, required, description } = Object(value) as Record<string, unknown>
  return typeof read === 'function' && typeof required === 'boolean' && typeof description === 'string'
}

const quoted = (value: unknown) => (JSON.stringify(value) ?? String(value)).slice(0, MAX_ENDPOINT_NAME_CHARACTERS)
