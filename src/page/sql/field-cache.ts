/** The fields of sources, as the newest rows of a project have them. */
import { fetchFields } from '../api/explore.js'
import { type Bounds, isoBounds } from '../shared/range.js'
import { RESERVED } from './words.js'

/** The project and the range of time whose rows tell the fields. */
export interface FieldsScope {
  project: string
  bounds: Bounds
}

/** Fields by source. They are loaded once for each project. */
export interface FieldCache {
  /** Returns the fields of a source, if they are known. */
  known(project: string, source: string): readonly string[]
  /** Loads the fields of sources that are not known yet. A failure is ignored: suggestions then lack these fields. */
  load(scope: FieldsScope, sources: readonly string[]): Promise<void>
}

/** Creates an empty cache. */
export function createFieldCache(): FieldCache {
  const cache = new Map<string, readonly string[] | Promise<void>>()
  const keyOf = (project: string, source: string) => JSON.stringify([project, source])

  async function loadOne({ project, bounds }: FieldsScope, source: string): Promise<void> {
    const query = { project, source, ...isoBounds(bounds), filters: [], search: '' }
    const key = keyOf(project, source)
    try {
      const { rows } = await fetchFields(query, undefined, new AbortController().signal)
      // Another range may have rows.
      if (rows.length === 0) cache.delete(key)
      else
        cache.set(
          key,
          rows.map(({ field }) => writtenField(field)).filter((field) => field !== undefined),
        )
    } catch {
      cache.delete(key)
    }
  }

  return {
    known(project, source) {
      const found = cache.get(keyOf(project, source))
      return Array.isArray(found) ? (found as readonly string[]) : []
    },
    async load(scope, sources) {
      const loads = sources.map((source) => {
        const key = keyOf(scope.project, source)
        if (!cache.has(key)) cache.set(key, loadOne(scope, source))
        return cache.get(key)
      })
      await Promise.all(loads)
    },
  }
}

/** Returns a field as a query names it, with backticks if needed; undefined if its name has a dot in a key. */
export function writtenField(field: string): string | undefined {
  // The service writes a path with such a key as a list.
  if (field.startsWith('[')) return undefined
  const [first = '', ...rest] = field.split('.')
  return [RESERVED.includes(first.toLowerCase()) ? `\`${first}\`` : quoted(first), ...rest.map(quoted)].join('.')
}

const quoted = (key: string) => (/^[A-Za-z_]\w*$/.test(key) ? key : `\`${key.replaceAll(/[\\`]/g, '\\$&')}\``)
