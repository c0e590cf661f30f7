import { LogweirError } from '../base/errors.js'
import type { Plan } from '../engine/plan.js'
import type { ArgsOf, Params } from './params.js'

/** How long an answer may be served from the cache, and how often an entry in use is computed anew. */
export interface CachePolicy {
  ttlS: number
  warmS: number
}

export interface EndpointSpec<P extends Params> {
  /** UUID; the same for ever. */
  id: string
  name: string
  maxRows: number
  cache: CachePolicy | 'disabled'
  params: P
  /** The stored SQL that the listing shows: BigQuery dialect, `@name` for a parameter. */
  query: string
  plan(args: ArgsOf<P>, nowUs: number): Plan
}

/** A call of an endpoint whose parameters have been read: what the cache keys and the engine runs. */
export interface Call {
  /** Equal for calls that mean the same: the values after defaulting, in a fixed order. */
  key: string
  plan(nowUs: number): Plan
}

/** A stored query, as the layers above see it. */
export interface Endpoint {
  readonly id: string
  readonly name: string
  readonly maxRows: number
  readonly cache: CachePolicy | 'disabled'
  readonly query: string
  readonly params: Params
  /**
   * Reads the parameters of one request. Those that the query does not know are passed over. Throws a LogweirError:
   * `duplicate_parameter`, `missing_parameter`, `invalid_timestamp`, `invalid_pattern`.
   */
  call(given: URLSearchParams): Call
}

/** Makes an endpoint of its four parts: promise (the file's docstring), parameters, stored SQL, plan. */
export function endpoint<P extends Params>(spec: EndpointSpec<P>): Endpoint {
  const { id, name, maxRows, cache, query, params } = spec
  return {
    id,
    name,
    maxRows,
    cache,
    query,
    params,
    call(given) {
      const args = readArgs(params, given)
      return { key: JSON.stringify([id, ...Object.values(args)]), plan: (nowUs) => spec.plan(args, nowUs) }
    },
  }
}

function readArgs<P extends Params>(params: P, given: URLSearchParams): ArgsOf<P> {
  const entries = Object.entries(params).map(([name, param]) => {
    const texts = given.getAll(name)
    if (texts.length > 1) {
      throw new LogweirError(
        'duplicate_parameter',
        `The parameter "${name}" is given ${texts.length} times. Give it once.`,
      )
    }
    return [name, param.read(texts[0] || undefined, name)]
  })
  return Object.fromEntries(entries) as ArgsOf<P>
}

/** Marks stored SQL; takes the common indentation off. */
export function sql(strings: TemplateStringsArray): string {
  const lines = strings
    .join('')
    .replace(/^\n|\n\s*$/g, '')
    .split('\n')
  const indent = Math.min(...lines.filter((line) => line.trim() !== '').map((line) => line.search(/\S/)))
  return lines.map((line) => line.slice(indent)).join('\n')
}
