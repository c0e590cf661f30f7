import type { Catalog } from './catalog.js'
import type { KeptView } from './kept-view.js'
import type { ManifestView } from './manifest.js'

/**
 * Closes the views that have no file any more: their last rows are those that are stored now. Heads are sealed, so that
 * later rows are in other segments. Rejects with the errors of sealing: the views get rows until the next call then.
 */
export async function closeViews(catalog: Catalog): Promise<void> {
  const isOpen = (view: ManifestView) => isUnclosed(catalog, view) && catalog.kept.has(view.identity)
  const { engine, manifest } = catalog
  if (engine === undefined || !manifest.views.some(isOpen)) return
  await engine.seal()
  const views = catalog.manifest.views.map((view) =>
    isOpen(view) ? { ...view, rest: missingIn(catalog, catalog.kept.get(view.identity)!) } : view,
  )
  catalog.manifest = { ...catalog.manifest, views }
  catalog.isManifestOld = true
  for (const view of catalog.kept.values()) updateRows(catalog, view)
}

const isUnclosed = ({ current }: Catalog, { name, rest }: ManifestView) => rest === undefined && !current.has(name)

/** The checks of the stored segments that are in no file of a view. */
function missingIn({ engine, live }: Catalog, { identity, sources }: KeptView): string[] {
  const rows = engine!.groupable(sources)
  const checks = rows.parts.flatMap(({ stored }) => stored?.check ?? [])
  rows.release()
  return checks.filter((check) => live.fileOf(identity, check) === undefined)
}

/** Sets which rows a view gets, from the list of views. */
export function updateRows(catalog: Catalog, view: KeptView): void {
  const { manifest, current } = catalog
  const named = manifest.views.filter(({ identity }) => identity === view.identity)
  view.isUpdated = named.some((one) => current.has(one.name) || isUnclosed(catalog, one))
  for (const { rest = [] } of named) for (const check of rest) view.rest.add(check)
}
