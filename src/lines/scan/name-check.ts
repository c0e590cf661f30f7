import { nearest } from '../../base/text/nearest.js'
import { type FieldName, namedRowsOf } from '../../plan/names-in-plan.js'
import type { Plan } from '../../plan/plan.js'
import type { ScannedBlock } from './scan-block.js'

/** Finds the names in a plan that no line has, in the first lines: such a name is a slip, or is null everywhere. */
export interface NameCheck {
  /** Looks at the next block. Only the first block is read. */
  look(block: ScannedBlock | undefined): void
  /** Returns a sentence for each name that no line has, or that the first lines lack and that is near another name. */
  warnings(): string[]
}

/** The lines that are looked at, the names, and the fields of which the nearest is taken. */
const MOST_ROWS = 256
const MOST_NAMES = 10
const MOST_FIELDS = 2_000

/** Creates a check of the names of a plan. */
export function createNameCheck(plan: Plan): NameCheck {
  const all = namedRowsOf(plan).flatMap(({ names }) => names)
  let missing = [...new Map(all.map((name) => [name.name, name])).values()].filter(({ paths }) => paths.length > 0)
  const fields = new Set<string>()
  let blocks = 0
  let rows = 0
  let hasMore = false

  function look(block: ScannedBlock): void {
    hasMore = block.rows > MOST_ROWS
    for (; rows < Math.min(block.rows, MOST_ROWS) && missing.length > 0; rows++) {
      const line = JSON.parse(block.bytes.toString('utf8', block.starts[rows], block.ends[rows])) as object
      missing = missing.filter(({ paths }) => !paths.some((path) => isIn(line, path)))
      addFields(line, '', fields)
    }
  }

  function sentenceOf({ name, paths }: FieldName): string[] {
    const meant = nearest(paths[0].join('.'), [...fields])
    const isSure = blocks === 1 && !hasMore
    if (!isSure && meant === undefined) return []
    const start = isSure ? `No line has the field ${name}.` : `The first ${rows} lines have no field ${name}.`
    return [meant === undefined ? start : `${start} Did you mean ${meant}?`]
  }

  return {
    look(block) {
      if (blocks++ === 0 && block !== undefined) look(block)
    },
    warnings: () => (rows === 0 ? [] : missing.slice(0, MOST_NAMES).flatMap(sentenceOf)),
  }
}

/** Whether a value has a field. A list may have any field. */
function isIn(value: unknown, [key, ...keys]: readonly string[]): boolean {
  if (key === undefined || Array.isArray(value)) return true
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key) && isIn(value[key as never], keys)
}

/** Adds the fields of an object, and of the objects in it, by their names in SQL. */
function addFields(value: object, prefix: string, fields: Set<string>): void {
  for (const [key, inner] of Object.entries(value)) {
    if (fields.size === MOST_FIELDS) return
    fields.add(`${prefix}${key}`)
    const isObject = typeof inner === 'object' && inner !== null && !Array.isArray(inner)
    if (isObject) addFields(inner, `${prefix}${key}.`, fields)
  }
}
