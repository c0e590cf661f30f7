import { isIPv6 } from 'node:net'
import { usageError } from '../base/failures.js'
import type { Log } from '../base/log.js'
import { HEALTH_SETTINGS } from './client-settings.js'
import type { Environment } from './environment.js'
import { readSettings } from './read-settings.js'

/** Where a service that listens on all addresses can be reached from the same machine. */
const REACHED_AT: Record<string, string> = { '0.0.0.0': '127.0.0.1', '0': '127.0.0.1', '::': '::1' }

/** Reads the configuration of `logweir health`: the root URL of the service. Throws `usage`, for port 0 too. */
export function readHealthConfig(args: readonly string[], environment: Environment, warn?: Log): { url: string } {
  const { port, host } = readSettings(HEALTH_SETTINGS, args, environment, { warn }).values
  if (port === 0) throw usageError('health of which service? Port 0 is any free one: name the port with --port.')
  const reached = REACHED_AT[host] ?? host
  return { url: `http://${isIPv6(reached) ? `[${reached}]` : reached}:${port}` }
}
