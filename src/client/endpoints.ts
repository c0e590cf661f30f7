import { usageError } from '../base/failures.js'
import { didYouMean } from '../base/text/nearest.js'
import { MIB } from '../base/units.js'
import { unknownFlag } from '../config/command-line.js'
import { flagOf, type Settings } from '../config/setting.js'
import { type Service, ServiceError, textUpTo } from './service.js'

/** An endpoint in the list of a service. */
export interface ListedEndpoint {
  name: string
  /** Whether the endpoint runs the SQL of callers. */
  runsSql: boolean
  parameters: readonly { name: string; required: boolean; description: string }[]
}

/** The service's description of an endpoint. */
type Definition = Pick<ListedEndpoint, 'name' | 'parameters'> & { sandboxing?: boolean }

const MAX_LISTING_BYTES = 16 * MIB

/** Requests the list of endpoints. Rejects with a {@link ServiceError}, or with the signal's reason. */
export async function listEndpoints(service: Service, signal?: AbortSignal): Promise<readonly ListedEndpoint[]> {
  const text = await textUpTo((await service.get('api/endpoints', {}, signal)).body, MAX_LISTING_BYTES)
  try {
    const { result } = JSON.parse(text) as { result: Definition[] }
    return result.map(({ name, sandboxing, parameters }) => ({
      name,
      runsSql: sandboxing === true,
      parameters: [...parameters],
    }))
  } catch {
    throw new ServiceError(`${service.url} lists no endpoints. Is a logweir service there?`)
  }
}

/** Returns the endpoint with a name. Throws `usage` if there is none. */
export function findEndpoint(listed: readonly ListedEndpoint[], name: string): ListedEndpoint {
  const found = listed.find((one) => one.name === name)
  if (found !== undefined) return found
  const names = listed.map((one) => one.name)
  throw usageError(`unknown endpoint ${JSON.stringify(name)}. ${didYouMean(name, names)}`)
}

/** Returns the name of a parameter as in the flag: with `-` for `_`. */
export const flagNameOf = (name: string) => name.replaceAll('_', '-')

/**
 * Converts flags to request parameters. `_` and `-` are equal. Throws `usage` if the endpoint has no such parameter.
 * The message may suggest a flag of `settings`.
 */
export function parametersOf(
  endpoint: ListedEndpoint,
  flags: readonly (readonly [string, string])[],
  settings: Settings,
): URLSearchParams {
  const names = new Map(endpoint.parameters.map(({ name }) => [`--${flagNameOf(name)}`, name]))
  const given = new URLSearchParams()
  for (const [flag, text] of flags) {
    const name = names.get(flagNameOf(flag))
    if (name === undefined) throw unknownParameter(endpoint, flag, [...names.keys()], settings)
    given.append(name, text)
  }
  return given
}

function unknownParameter({ name }: ListedEndpoint, flag: string, parameters: readonly string[], settings: Settings) {
  const settingFlags = Object.keys(settings).map(flagOf)
  const { message } = unknownFlag(flag, [...parameters, ...settingFlags])
  if (message.endsWith('?')) return usageError(message)
  const known =
    parameters.length === 0 ? `${name} has no parameters` : `The parameters of ${name} are ${parameters.join(', ')}`
  return usageError(`unknown flag ${flag}. ${known}.`)
}

/** Formats the endpoints and their parameters as the help of `logweir query`. */
export function describeEndpoints(listed: readonly ListedEndpoint[]): string {
  return listed
    .map(({ name, parameters }) => {
      const flags = parameters.map((one) => [
        `--${flagNameOf(one.name)}`,
        `${one.required ? 'required: ' : ''}${one.description}`,
      ])
      const width = Math.max(0, ...flags.map(([flag]) => flag!.length))
      return [name, ...flags.map(([flag, meaning]) => `  ${flag!.padEnd(width)}  ${meaning}`), ''].join('\n')
    })
    .join('\n')
}
