import { usageError } from '../base/failures.js'
import { didYouMean } from '../base/nearest.js'
import { MIB } from '../base/units.js'
import { unknownFlag } from '../config/command-line.js'
import { flagOf } from '../config/setting.js'
import { QUERY_SETTINGS } from '../config/settings.js'
import { type Service, ServiceError, textUpTo } from './service.js'

/** An endpoint as a service lists it. */
export interface Listed {
  name: string
  parameters: readonly { name: string; required: boolean; description: string }[]
}

const MOST_LISTING_BYTES = 16 * MIB

/** What the service can be asked. Rejects with a {@link ServiceError}, or as the signal does. */
export async function listEndpoints(service: Service, signal?: AbortSignal): Promise<readonly Listed[]> {
  const text = await textUpTo((await service.get('api/endpoints', {}, signal)).body, MOST_LISTING_BYTES)
  try {
    const { result } = JSON.parse(text) as { result: Listed[] }
    return result.map(({ name, parameters }) => ({ name, parameters: [...parameters] }))
  } catch {
    throw new ServiceError(`${service.url} lists no endpoints. Is a logweir service there?`)
  }
}

/** The endpoint of that name. Throws `usage`. */
export function findEndpoint(listed: readonly Listed[], name: string): Listed {
  const found = listed.find((one) => one.name === name)
  if (found !== undefined) return found
  const names = listed.map((one) => one.name)
  throw usageError(`unknown endpoint ${JSON.stringify(name)}. ${didYouMean(name, names)}`)
}

/** A parameter's name in a flag. */
export const folded = (name: string) => name.replaceAll('_', '-')

/** Flags as the parameters of a request; `_` and `-` are the same. Throws `usage` on one that the endpoint does not read. */
export function parametersOf(endpoint: Listed, flags: readonly (readonly [string, string])[]): URLSearchParams {
  const names = new Map(endpoint.parameters.map(({ name }) => [`--${folded(name)}`, name]))
  const given = new URLSearchParams()
  for (const [flag, text] of flags) {
    const name = names.get(folded(flag))
    if (name === undefined) throw unknownParameter(endpoint, flag, [...names.keys()])
    given.append(name, text)
  }
  return given
}

function unknownParameter({ name }: Listed, flag: string, parameters: readonly string[]) {
  const own = Object.keys(QUERY_SETTINGS).map(flagOf)
  const { message } = unknownFlag(flag, [...parameters, ...own])
  return usageError(
    message.endsWith('?') ? message : `unknown flag ${flag}. The parameters of ${name} are ${parameters.join(', ')}.`,
  )
}

/** The endpoints and their parameters, for who knows none yet. */
export function describeEndpoints(listed: readonly Listed[]): string {
  return listed
    .map(({ name, parameters }) => {
      const flags = parameters.map((one) => [
        `--${folded(one.name)}`,
        `${one.required ? 'required: ' : ''}${one.description}`,
      ])
      const width = Math.max(0, ...flags.map(([flag]) => flag!.length))
      return [name, ...flags.map(([flag, meaning]) => `  ${flag!.padEnd(width)}  ${meaning}`), ''].join('\n')
    })
    .join('\n')
}
