import { usageError } from '../base/failures.js'
import type { Log } from '../base/log.js'
import { memoryBytes } from '../base/memory/memory.js'
import { DAY_US, GIB } from '../base/units.js'
import { ANY_NAME } from '../common/own-source-names.js'
import type { SourceName } from '../common/sources.js'
import { unknownFlag } from './command-line.js'
import { IMPORT_SETTINGS } from './directory-settings.js'
import type { Environment } from './environment.js'
import { readSettings } from './read-settings.js'
import { flagOf } from './setting.js'

/** The configuration of `logweir import`. */
export interface ImportConfig {
  /** The address of the database. It may contain a password: never print it. */
  url: string
  /** The schema of Logflare's tables. */
  schema: string
  /** The destination of the rows. */
  dataDir: string
  /** The names of own sources, besides the nine. */
  sources: readonly SourceName[]
  retentionUs: number
  /** The file with the times of projects and sources. */
  retentionFile: string | undefined
  /** The file of rules that mask secrets, and of the key of hashed values. */
  mask: string | undefined
  maskKeyFile: string | undefined
  memoryLimitBytes: number
  /** Undefined: no limit. */
  maxDiskBytes: number | undefined
  /** Only rows before this time are imported, in microseconds since the epoch. Undefined: all. */
  untilUs: number | undefined
}

/** Sealed rows need no memory here, so more than this would not make an import faster. */
const MAX_DEFAULT_MEMORY_BYTES = GIB

const EXAMPLE = 'postgresql://supabase_admin@127.0.0.1:5432/_supabase'
const CALL = `logweir import --from logflare-postgres ${EXAMPLE}`

/** Reads the configuration of `logweir import`. Throws `usage`, without the URL. */
export function readImportConfig(args: readonly string[], environment: Environment, warn?: Log): ImportConfig {
  const { values, extras } = readSettings(IMPORT_SETTINGS, args, environment, { warn, allowsExtras: true })
  const [unknown] = extras.flags
  if (unknown !== undefined) throw unknownFlag(unknown[0], Object.keys(IMPORT_SETTINGS).map(flagOf))
  const { from, schema, dataDir, sources = [], retentionDays, until, memoryLimit, maxDiskBytes } = values
  const { retentionFile, mask, maskKeyFile } = values
  const [url, extra] = extras.operands
  if (from === undefined) throw usageError(`import from where? Name the origin: ${CALL}`)
  if (url === undefined) throw usageError(`import from which database? Give its URL: ${CALL}`)
  if (!isPostgresUrl(url)) throw usageError(`the address of the database is no URL such as ${EXAMPLE}`)
  if (extra !== undefined) throw usageError('there is more than one argument after the flags. Give one URL, in quotes.')
  if (sources.includes(ANY_NAME)) throw usageError('--sources: * is for serve. Name the sources to import.')
  return {
    ...{ url, schema, dataDir, sources, maxDiskBytes, retentionFile, mask, maskKeyFile, untilUs: until },
    retentionUs: retentionDays * DAY_US,
    memoryLimitBytes: memoryLimit ?? Math.min(Math.floor(memoryBytes() / 2), MAX_DEFAULT_MEMORY_BYTES),
  }
}

const isPostgresUrl = (text: string) => URL.canParse(text) && /^postgres(ql)?:$/.test(new URL(text).protocol)
