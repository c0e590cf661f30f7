/** The fields of sources in the newest rows of a project. */
import { RESERVED } from '../../common/sql-words.js'
import { fetchFields } from '../api/explore.js'
import { boundsOf, isoBounds, type Range } from '../shared/range.js'

/** The project and the range of time that the rows are from. */
interface FieldsScope {
  project: string
  range: Range
}

/** Fields by source. Fields are requested once for each scope. */
export interface FieldCache {
  /** Returns the fields of a source, or empty if unknown. */
  known(scope: FieldsScope, source: string): readonly string[]
  /** Loads the fields of sources that are not known yet. A failure is ignored: suggestions then lack the fields. */
  load(scope: FieldsScope, sources: readonly string[]): Promise<void>
}

const keyOf = ({ project, range }: FieldsScope, source: string) => JSON.stringify([project, source, range])

/** Creates an empty cache. */
export function createFieldCache(): FieldCache {
  const fields = new Map<string, readonly string[]>()
  const loads = new Map<string, Promise<void>>()

  async function loadOne(scope: FieldsScope, source: string): Promise<void> {
    const key = keyOf(scope, source)
    try {
      fields.set(key, await fieldsOf(scope, source))
    } catch {
      loads.delete(key)
    }
  }

  return {
    known: (scope, source) => fields.get(keyOf(scope, source)) ?? [],
    async load(scope, sources) {
      for (const source of sources) {
        const key = keyOf(scope, source)
        if (!loads.has(key)) loads.set(key, loadOne(scope, source))
      }
      await Promise.all(sources.map((source) => loads.get(keyOf(scope, source))))
    },
  }
}

async function fieldsOf({ project, range }: FieldsScope, source: string): Promise<readonly string[]> {
  const bounds = isoBounds(boundsOf(range, Date.now() * 1_000))
  const query = { project, source, ...bounds, filters: [], search: '' }
  const { rows } = await fetchFields(query, undefined, new AbortController().signal)
  return rows.map(({ field }) => writtenField(field)).filter((field) => field !== undefined)
}

/** Returns the name of a field in a query, with backticks if needed, or undefined if a key has a dot. */
export function writtenField(field: string): string | undefined {
  // The service writes a path with such a key as a list.
  if (field.startsWith('[')) return undefined
  const [first = '', ...rest] = field.split('.')
  return [RESERVED.has(first.toLowerCase()) ? `\`${first}\`` : quoted(first), ...rest.map(quoted)].join('.')
}

const quoted = (key: string) => (/^[A-Za-z_]\w*$/.test(key) ? key : `\`${key.replaceAll(/[\\`]/g, '\\$&')}\``)
