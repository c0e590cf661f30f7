import { MILLISECOND_US } from '../../base/units.js'
import type { ListedView } from '../../common/views-list.js'
import type { StateFile } from '../state/read-file.js'
import type { Catalog } from './catalog.js'
import type { ManifestView } from './manifest.js'

/** The facts about a view besides its files. */
type Progress = Pick<ListedView, 'is_current' | 'progress'>

/** Returns the views and old versions of a catalog, by name. */
export const listCatalog = (catalog: Catalog): ListedView[] =>
  listViews(
    catalog.manifest.views,
    (identity) => catalog.live.of(identity),
    ({ name, identity }) => {
      const isCurrent = catalog.current.has(name)
      return { is_current: isCurrent, progress: isCurrent ? progressOf(catalog, identity) : null }
    },
  )

/** Returns views by name. `statesOf` has the files of an identity. */
export const listViews = (
  views: readonly ManifestView[],
  statesOf: (identity: string) => readonly StateFile[],
  progressOf: (view: ManifestView) => Progress,
): ListedView[] =>
  [...views]
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
    .map((view) => ({ name: view.name, ...aboutFiles(statesOf(view.identity)), ...progressOf(view) }))

function aboutFiles(states: readonly StateFile[]): Omit<ListedView, keyof Progress | 'name'> {
  const buckets = states.flatMap(({ facts }) => facts.bucketsUs ?? [])
  const iso = (us: number) => (Number.isFinite(us) ? new Date(us / MILLISECOND_US).toISOString() : null)
  return {
    rows: states.reduce((rows, { facts }) => rows + facts.groups, 0),
    bytes: bytesOf(states),
    first: iso(Math.min(...buckets)),
    last: iso(Math.max(...buckets)),
  }
}

const bytesOf = (states: readonly StateFile[]): number => states.reduce((sum, { bytes }) => sum + bytes, 0)

/** The part of the sealed rows of a view that is in its files. */
function progressOf({ engine, kept, live }: Catalog, identity: string): number | null {
  const view = kept.get(identity)
  if (engine === undefined || view === undefined) return null
  const taken = engine.groupable(view.sources)
  const sealed = taken.parts.filter(({ stored, isSetAside }) => stored !== undefined && !isSetAside)
  taken.release()
  const grouped = sealed.filter(({ stored }) => live.fileOf(identity, stored!.check) !== undefined)
  const rowsIn = (parts: typeof sealed) => parts.reduce((rows, part) => rows + part.rows, 0)
  return sealed.length === 0 ? 1 : rowsIn(grouped) / rowsIn(sealed)
}

/** The name of all old versions, and of views without a file, in metrics. */
const OTHERS = '(others)'

/** Returns the bytes of the files of each current view, and of all other views together. */
export function bytesByView({ manifest, live, current }: Catalog): Map<string, number> {
  const bytes = new Map<string, number>()
  const counted = new Set<string>()
  const isCurrent = ({ name }: ManifestView) => current.has(name)
  // Views that group the same share their files, which count once.
  for (const view of [...manifest.views].sort((a, b) => Number(isCurrent(b)) - Number(isCurrent(a)))) {
    const label = isCurrent(view) ? view.name : OTHERS
    const more = counted.has(view.identity) ? 0 : bytesOf(live.of(view.identity))
    counted.add(view.identity)
    bytes.set(label, (bytes.get(label) ?? 0) + more)
  }
  return bytes
}
