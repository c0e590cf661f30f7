import { usageError } from '../base/failures.js'
import type { Log } from '../base/log.js'
import { type FieldNames, fieldNamesOf } from '../common/field-names.js'
import { nameOfSource, type SourceName } from '../common/sources.js'
import { MASK_SETTINGS } from '../config/directory-settings.js'
import type { Environment } from '../config/environment.js'
import { readSettings } from '../config/read-settings.js'

/** The configuration of `logweir mask`. */
export interface MaskConfig {
  /** The file of rules. */
  file: string
  /** The file of the key of hashes. */
  keyFile: string | undefined
  sources: readonly SourceName[]
  /** The source of lines that name none. */
  source: SourceName | undefined
  fieldNames: FieldNames
}

/** Reads the configuration of `logweir mask`. Throws `usage`. */
export function readMaskConfig(args: readonly string[], environment: Environment, warn?: Log): MaskConfig {
  const { values } = readSettings(MASK_SETTINGS, args, environment, { warn })
  const { test: file, maskKeyFile: keyFile, sources = [], source, timeField, messageField } = values
  if (file === undefined) throw usageError('test which file of rules? logweir mask --test FILE < lines')
  const fieldNames = fieldNamesOf(timeField, messageField)
  if (fieldNames === undefined) {
    throw usageError('--time-field and --message-field name the same field. Leave it out of one of the two.')
  }
  return { file, keyFile, sources, source: source && nameOfSource(source), fieldNames }
}
