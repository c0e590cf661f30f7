import type { Log } from '../../base/log.js'
import { MIB } from '../../base/units.js'
import { USAGE_PATH } from '../../common/usage-path.js'
import { USAGE_SETTINGS } from '../../config/client-settings.js'
import type { Environment } from '../../config/environment.js'
import { readSettings } from '../../config/read-settings.js'
import { parseExact } from '../exact-json.js'
import { type RowsOut, writeEncoded, writeTable } from '../output.js'
import { connectService, type ServiceAddress, ServiceError, textUpTo } from '../service.js'
import type { Row } from '../table/table.js'

/** The configuration of `logweir usage`. */
export interface UsageConfig extends ServiceAddress {
  /** The parameters of the request. */
  parameters: URLSearchParams
  isJson: boolean
}

/** The parameters of the request, which have the names of their flags. */
const PARAMETERS = ['project', 'source', 'start', 'end'] as const

/** Reads the configuration of `logweir usage`. Throws `usage`. */
export function readUsage(args: readonly string[], environment: Environment, warn?: Log): UsageConfig {
  const { values, found } = readSettings(USAGE_SETTINGS, args, environment, { warn })
  const { url, token, dataDir, json = false } = values
  const given = PARAMETERS.flatMap((name): [string, string][] => {
    const value = values[name]
    return value === undefined ? [] : [[name, value]]
  })
  const tokenFrom = found.get('token')?.where
  return { url, token, tokenFrom, dataDir, isJson: json, parameters: new URLSearchParams(given) }
}

/** The longest answer that is shown as a table, which is built in memory. */
const MAX_TABLE_BYTES = 256 * MIB

/** Writes the usage of a service: a table, or a row a line as JSON. Rejects with a {@link ServiceError} and EPIPE. */
export async function runUsage(config: UsageConfig, out: RowsOut): Promise<void> {
  const service = connectService(config)
  const { body } = await service.query(USAGE_PATH.slice(1), config.parameters, { Accept: 'application/x-ndjson' })
  if (config.isJson) return writeEncoded(body, out)
  const lines = (await textUpTo(body, MAX_TABLE_BYTES)).split('\n').filter((line) => line !== '')
  await writeTable(
    lines.map((line) => rowOf(line, service.url)),
    {},
    out,
  )
}

function rowOf(line: string, url: string): Row {
  try {
    return parseExact(line) as Row
  } catch {
    throw new ServiceError(`${url} answers with no rows of usage. Is a logweir service there?`)
  }
}
