import { KIB } from '../base/units.js'
import type { SourceName } from '../common/sources.js'
import type { FieldName } from '../plan/names-in-plan.js'

/** The most warnings of an answer, and the most bytes of the header with all warnings. */
export const MAX_WARNINGS = 10
const MAX_BYTES = 2 * KIB
/** The most characters of a name, and the most bytes of the name in ASCII. */
const MAX_NAME_CHARACTERS = 200
const MAX_NAME_BYTES = 500

/** The rows that lack the field: rows of `sources`, either all in the range or only the `newest` rows. */
interface Scope {
  sources: readonly SourceName[]
  newest: number | undefined
}

/** Returns the warning about a name that no row has. `meant` is the nearest field. */
export function nameWarning({ name, isOutput }: FieldName, { sources, newest }: Scope, meant?: string): string {
  const field = shortName(name)
  const of = sources.join(', ')
  const none =
    newest === undefined
      ? `No row of ${of} in the range has the field ${field}`
      : `The newest ${newest} rows of ${of} have no field ${field}`
  const remedy = `Filter a derived table: SELECT * FROM (SELECT …) WHERE ${field} …`
  if (isOutput) return `${none}, and WHERE does not see output columns. ${remedy}`
  return meant === undefined ? `${none}.` : `${none}. Did you mean ${shortName(meant)}?`
}

function shortName(name: string): string {
  let text = ''
  let bytes = 0
  for (const point of name.toWellFormed()) {
    bytes += asciiJson(point).length
    if (text.length + point.length >= MAX_NAME_CHARACTERS || bytes > MAX_NAME_BYTES) return `${text}…`
    text += point
  }
  return text
}

/** Returns the text of the header: a JSON list in ASCII of the first warnings. Undefined if there is no warning. */
export function warningsHeader(warnings: readonly string[]): string | undefined {
  let list: string[] = []
  for (const warning of warnings.slice(0, MAX_WARNINGS)) {
    const longer = [...list, warning]
    if (asciiJson(longer).length > MAX_BYTES) break
    list = longer
  }
  return list.length === 0 ? undefined : asciiJson(list)
}

/** JSON without characters beyond ASCII: each UTF-16 unit of a non-ASCII character is an escape. */
const asciiJson = (value: unknown): string =>
  JSON.stringify(value).replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
