import type { ReadableView, ReadableViews } from '../../sql/compile/readable-views.js'

/** Returns the views that SQL can read, by the names of their sources. A name as spelled wins over other case. */
export function readableViews(views: Iterable<ReadableView>): ReadableViews {
  const byName = new Map([...views].map((view) => [view.source.name, view]))
  const names = [...byName.keys()]
  const spelled = new Map(names.map((name) => [name.toLowerCase(), name]))
  return {
    find: (name) => byName.get(name) ?? byName.get(spelled.get(name.toLowerCase()) ?? name),
    names: () => names,
  }
}
