import type { Log } from '../base/log.js'
import { nearest } from '../base/text/nearest.js'
import { type Environment, readVariable } from './environment.js'

const PREFIX = 'LOGWEIR_'

/** Variables that are no settings and that other programs set, by the ends of their names. */
const OF_OTHERS: readonly RegExp[] = [
  // Kubernetes sets these for each Service with a name that begins with `logweir`.
  /^LOGWEIR(_\w+)?_SERVICE_(HOST|PORT(_\w+)?)$/,
  /^LOGWEIR(_\w+)?_PORT_\d+_(TCP|UDP|SCTP)(_\w+)?$/,
  // The files in deploy/, the tests and the benchmarks read these, and base/native-part.ts before all settings.
  /^LOGWEIR_(IMAGE|CONTAINER_MEMORY|NATIVE_PARTS|(TEST|BENCH)_\w+)$/,
]

/** A variable that is set and that no command reads. */
interface UnknownVariable {
  name: string
  /** The variable that may be meant. Undefined if none is near. */
  meant: string | undefined
}

/**
 * Returns the variables that look like settings and are none: their names begin with `LOGWEIR_`, or nearly so, or are
 * near a known name of another program. An empty variable counts as absent.
 */
export function unknownVariables(environment: Environment, known: readonly string[]): UnknownVariable[] {
  return Object.keys(environment)
    .filter(
      (name) =>
        !known.includes(name) &&
        !OF_OTHERS.some((one) => one.test(name)) &&
        readVariable(environment, name) !== undefined,
    )
    .flatMap((name) => {
      const meant = meantBy(name, known)
      return meant !== undefined || name.startsWith(PREFIX) ? [{ name, meant }] : []
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** Returns the nearest known variable with the same prefix, or with the prefix that a misspelled prefix is near. */
function meantBy(name: string, known: readonly string[]): string | undefined {
  const [prefix = ''] = name.split('_', 1)
  const prefixes = new Set(known.map(prefixOf))
  const own = /^logw/i.test(prefix) ? nearest(prefix, [...prefixes]) : prefix
  if (own === undefined || !prefixes.has(own)) return undefined
  const ofPrefix = known.filter((one) => prefixOf(one) === own)
  return nearest(own + name.slice(prefix.length), ofPrefix)
}

const prefixOf = (name: string) => name.split('_', 1)[0]

/** Warns of each variable that looks like a setting and is none, without the value, which may be a secret. */
export function warnOfVariables(environment: Environment, known: readonly string[], warn: Log): void {
  for (const { name, meant } of unknownVariables(environment, known)) {
    const remedy = meant === undefined ? 'logweir help COMMAND lists them.' : `Did you mean ${meant}?`
    warn(`no command reads the variable ${name}, which is set. ${remedy}`, {
      level: 'warn',
      code: 'variable_unknown',
      variable: name,
    })
  }
}
