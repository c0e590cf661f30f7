import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * The package of the official OpenTelemetry exporters: installed apart, since the product does not need the exporters.
 */
export const OTLP_CLIENT = fileURLToPath(new URL('../clients/otlp', import.meta.url))

export const WHY_NO_OTLP_CLIENT =
  'the exporters are not installed in test/clients/otlp (npm ci --prefix test/clients/otlp)'

/** Loads the exporters' packages. Undefined if the packages are not installed, which WHY_NO_OTLP_CLIENT explains. */
export function findOtlpClient(): NodeJS.Require | undefined {
  const isThere = existsSync(join(OTLP_CLIENT, 'node_modules/@opentelemetry/sdk-logs'))
  return isThere ? createRequire(join(OTLP_CLIENT, 'package.json')) : undefined
}
