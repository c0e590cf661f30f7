import { MILLISECOND_US } from '../../base/units.js'
import type { ListedView } from '../../common/views-list.js'
import type { ReadView } from '../../engine/engine.js'
import type { SegmentKeeper } from '../../engine/store/tables/keeper.js'
import type { ReadableViews } from '../../sql/compile/readable-views.js'
import { type ViewDefinition, viewDefinition } from '../definition/definition.js'
import { readableViews } from '../definition/registry.js'
import { readVersionName } from '../definition/version-name.js'
import { type Catalog, type CatalogOptions, createCatalog, type GroupableEngine } from './catalog.js'
import { closeViews, updateRows } from './close.js'
import { findStates } from './find-states.js'
import { createKeeper } from './keeper.js'
import { type KeptView, keptView } from './kept-view.js'
import { bytesByView, listCatalog } from './list.js'
import { type Manifest, type ManifestView, readManifest } from './manifest.js'
import { createReadView } from './read.js'
import { type RegroupOptions, regroup } from './regroup.js'
import { presentChecks } from './salvaged.js'
import type { DeletionOfGroups } from './touched-buckets.js'
import { withCurrent } from './versions.js'
import { startWork, type ViewWork } from './work.js'

/** A view of a file, and the SQL of the file. */
interface CurrentView {
  definition: ViewDefinition
  text: string
}

/** The views of a service. */
export interface Views {
  /** For the engine of the grouped rows. */
  readView: ReadView
  keeper: SegmentKeeper
  /** The views and old versions that SQL can read. */
  readable: ReadableViews
  /** Sets the views that the files of endpoints have now. Views without a file stay, and get no new rows. */
  setCurrent(views: readonly CurrentView[]): void
  /**
   * Hides the rows of a deletion from all reads that start from now on, given an engine that hides the rows at the same
   * time. Also before `start`, for each deletion that an earlier process has not finished.
   */
  hide(deletion: DeletionOfGroups): void
  /** See {@link regroup}. After `hide` and `start`. */
  regroup(deletion: DeletionOfGroups, options: RegroupOptions): Promise<void>
  /** Forgets a deletion after its rows are gone from the engine and its groups were computed again. */
  forget(id: string): void
  /** Returns the views and old versions, by name. */
  list(): readonly ListedView[]
  /** Returns the bytes of the files of each view that gets new rows, and of all others together. */
  bytes(): ReadonlyMap<string, number>
  /**
   * To be called instead of `start` if nothing is written, and no file is removed. The engine may have only some of the
   * rows.
   */
  startReading(engine: GroupableEngine): Promise<void>
  /** To be called when the engine has recovered all rows, and before a view is read. */
  start(engine: GroupableEngine): Promise<ViewWork>
}

/** Opens the views of a data directory. Nothing is written before `start`. Rejects with the system's error. */
export async function openViews(options: CatalogOptions): Promise<Views> {
  const catalog = createCatalog(options)
  const manifest = await readManifest(catalog.files).catch((error) => reportManifest(catalog, error))
  if (manifest !== undefined) catalog.manifest = manifest
  const definitions = new Map<string, ViewDefinition>()
  let readable = readableViews([])
  let isWarned = false

  function setCurrent(current: readonly CurrentView[]): void {
    const views = current.map(({ definition: { name, identity, keepUs }, text }) => ({ name, identity, keepUs, text }))
    const today = new Date(catalog.clock.nowUs() / MILLISECOND_US).toISOString().slice(0, 'YYYY-MM-DD'.length)
    const known = withCurrent(catalog.manifest.views, views, today)
    const isSame = JSON.stringify(known) === JSON.stringify(catalog.manifest.views)
    if (!isSame) {
      catalog.manifest = { ...catalog.manifest, views: known }
      catalog.isManifestOld = true
    }
    for (const { definition } of current) definitions.set(definition.name, definition)
    const named = known.flatMap((view) => definitionOf(view, definitions, catalog) ?? [])
    const names = new Set(current.map(({ definition }) => definition.name))
    catalog.current = names
    catalog.kept = keptBy(named, catalog.kept)
    for (const view of catalog.kept.values()) updateRows(catalog, view)
    // Rows that arrive from now on are not to get into views without a file.
    void closeViews(catalog).catch(() => {})
    if (catalog.isInMemory && current.length > 0 && !isWarned) warnOfMemory(catalog)
    isWarned ||= current.length > 0
    readable = readableViews(named.filter(({ name }) => names.has(name) || readVersionName(name) !== undefined))
  }

  // Old versions can be read before the files of views are known.
  if (catalog.manifest.views.length > 0) setCurrent([])

  return {
    readView: createReadView(catalog),
    keeper: createKeeper(catalog),
    readable: { find: (name) => readable.find(name), names: () => readable.names() },
    setCurrent,
    hide(deletion) {
      catalog.deletions = [...catalog.deletions.filter(({ id }) => id !== deletion.id), deletion]
    },
    regroup: (deletion, options) => regroup(catalog, deletion, options),
    forget(id) {
      catalog.deletions = catalog.deletions.filter((deletion) => deletion.id !== id)
    },
    list: () => listCatalog(catalog),
    bytes: () => bytesByView(catalog),
    async startReading(engine) {
      await findStates(catalog, undefined, manifest !== undefined)
      catalog.engine = engine
    },
    async start(engine) {
      await findStates(catalog, await presentChecks(catalog, engine), manifest !== undefined)
      catalog.engine = engine
      return startWork(catalog)
    },
  }
}

/** Returns the definition of a view or old version. Undefined if this version of logweir refuses the SQL. */
function definitionOf(
  { name, identity, keepUs, text }: ManifestView,
  known: Map<string, ViewDefinition>,
  { log }: Catalog,
): ViewDefinition | undefined {
  const found = known.get(name)
  if (found?.identity === identity && found.keepUs === keepUs) return found
  try {
    const definition = viewDefinition(text, { name, keepUs, place: { line: 1, column: 1 } })
    known.set(name, definition)
    if (definition.identity === identity) return definition
  } catch (error) {
    log(`The view ${name} cannot be read any more: ${(error as Error).message}`, { level: 'warn', code: 'view_unread' })
  }
  return undefined
}

const warnOfMemory = ({ log }: Catalog) =>
  log('views are kept in memory, and are lost when the process ends: use --data-dir to keep the views', {
    level: 'warn',
    code: 'views_in_memory',
  })

function keptBy(definitions: readonly ViewDefinition[], before: Catalog['kept']): Map<string, KeptView> {
  const kept = new Map<string, KeptView>()
  for (const definition of definitions) {
    const { identity, name, keepUs } = definition
    const view = kept.get(identity) ?? keptView(definition)
    kept.set(identity, view)
    view.keepsUs.set(name, keepUs)
    const { isBuilt = false, rest = [] } = before.get(identity) ?? {}
    view.isBuilt = isBuilt
    for (const check of rest) view.rest.add(check)
  }
  return kept
}

function reportManifest({ log }: Catalog, error: unknown): Manifest | undefined {
  if (!(error instanceof SyntaxError)) throw error
  log(`The list of views is damaged. Old versions of views cannot be read: ${error.message}`, {
    level: 'error',
    code: 'view_list_damaged',
  })
  return undefined
}
