import { hotColumns } from '../../../common/columns.js'
import type { SourceName } from '../../../common/sources.js'
import type { Expression } from '../../../plan/expression.js'
import type { DeclaredColumn } from '../expressions/stored-frame.js'
import type { SourceKinds } from '../filtering/fast-filters.js'
import type { Input } from './stage.js'

const kindsBySource = new Map<SourceName, SourceKinds>()

/** How the columns of a source are stored. An empty text of a category means an absent text. */
export function kindsOf(source: SourceName): SourceKinds {
  const known = kindsBySource.get(source)
  if (known !== undefined) return known
  const kinds = new Map(hotColumns(source).map(({ name, kind }) => [name, kind]))
  const fields = declaredColumns(source)
  const made: SourceKinds = {
    fieldColumn: (keys) => fields.get(JSON.stringify(keys)),
    hasEmptyTexts: (name) => name === 'project' || kinds.get(name) === 'text',
    kindOf(name) {
      const kind = name === 'project' ? 'category' : kinds.get(name)
      return kind === 'category' ? 'text' : kind
    },
  }
  kindsBySource.set(source, made)
  return made
}

/** Returns whether an expression is a column of numbers in every source that an input scans. */
export const isStoredNumber =
  (input: Input) =>
  (expression: Expression): boolean =>
    expression.kind === 'column' &&
    input.op === 'scan' &&
    input.sources.every((source) => kindsOf(source).kindOf(expression.name) === 'number')

const declaredBySource = new Map<SourceName, ReadonlyMap<string, DeclaredColumn>>()

/** Returns the hot columns of a source that hold fields, by the JSON of their paths. */
export function declaredColumns(source: SourceName): ReadonlyMap<string, DeclaredColumn> {
  const known = declaredBySource.get(source)
  if (known !== undefined) return known
  const columns = hotColumns(source).flatMap(({ name, kind, path }, place) => {
    // A column of areas does not have the path itself.
    if (kind === 'areas') return []
    return [[JSON.stringify(path), { name, place, isNumber: kind === 'number' }] as const]
  })
  const made = new Map(columns)
  declaredBySource.set(source, made)
  return made
}
