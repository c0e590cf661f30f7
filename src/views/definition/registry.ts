import type { ReadableView, ReadableViews } from '../../sql/compile/readable-views.js'

/** Returns the views that SQL can read, by the names of their sources. */
export function readableViews(views: Iterable<ReadableView>): ReadableViews {
  const all = [...views]
  const byName = new Map(all.map((view) => [view.source.name.toLowerCase(), view]))
  return { find: (name) => byName.get(name.toLowerCase()), names: () => all.map(({ source }) => source.name) }
}
