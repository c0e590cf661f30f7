import { nextVersionName, readVersionName } from '../definition/version-name.js'
import type { ManifestView } from './manifest.js'

/**
 * Returns the views of a data directory after the files of views have changed. A view that groups something else now
 * leaves an old version, named after the UTC day of the change. A view that returns to the grouping of an old version
 * takes that version's place. A view without a file stays, so that the file can come back.
 */
export function withCurrent(
  known: readonly ManifestView[],
  current: readonly ManifestView[],
  today: string,
): ManifestView[] {
  let views = [...known]
  for (const view of current) {
    const before = views.find(({ name }) => name === view.name)
    const isOld = ({ name, identity }: ManifestView) =>
      identity === view.identity && readVersionName(name)?.view === view.name
    views = views.filter((one) => one !== before && !isOld(one))
    if (before !== undefined && before.identity !== view.identity) {
      const names = views.map(({ name }) => name)
      views.push({ ...before, name: nextVersionName(view.name, today, names) })
    }
    views.push(view)
  }
  return views
}
