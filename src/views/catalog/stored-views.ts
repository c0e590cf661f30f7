import { stateError } from '../../base/failures.js'
import { didYouMean } from '../../base/text/nearest.js'
import type { ListedView } from '../../common/views-list.js'
import type { Files } from '../../engine/disk/files/files.js'
import { viewDefinition } from '../definition/definition.js'
import { readVersionName } from '../definition/version-name.js'
import { isDamaged } from '../state/damage.js'
import { openStateFile, type StateFile } from '../state/read-file.js'
import type { CatalogOptions } from './catalog.js'
import { parseStatePath, statePath, viewPath } from './file-names.js'
import { listViews } from './list.js'
import { type Manifest, readManifest, writeManifest } from './manifest.js'
import { openViews, type Views } from './open-views.js'

/** Returns the views and old versions of a data directory that no service has, by name. Damaged files do not count. */
export async function listStored(files: Files): Promise<readonly ListedView[]> {
  const views = (await manifestOf(files))?.views ?? []
  const states = new Map<string, readonly StateFile[]>()
  for (const { identity } of views) states.set(identity, await liveStates(files, identity))
  return listViews(
    views,
    (identity) => states.get(identity)!,
    ({ name }) => ({ is_current: readVersionName(name) === undefined, progress: null }),
  )
}

/** Opens the views of a data directory that no service has, to be read. Nothing in the directory changes. */
export async function openStoredViews(options: CatalogOptions & { files: Files }): Promise<Views> {
  const { files, log } = options
  // A service removes files without an owner and unfinished files, and syncs the other files.
  const views = await openViews({ ...options, files: { ...files, async remove() {}, async syncDirectory() {} } })
  const stored = (await manifestOf(files))?.views ?? []
  views.setCurrent(
    stored.flatMap(({ name, keepUs, text }) => {
      if (readVersionName(name) !== undefined) return []
      try {
        return [{ definition: viewDefinition(text, { name, keepUs, place: { line: 1, column: 1 } }), text }]
      } catch (error) {
        log(`The view ${name} cannot be read: ${(error as Error).message}`, { level: 'warn', code: 'view_unread' })
        return []
      }
    }),
  )
  return views
}

/**
 * Deletes a view or an old version of a data directory that no service has. Its files stay if another view groups the
 * same. Rejects with `failed` if there is no view of that name, and the system's errors: then the start of a service
 * deletes the remainder, or nothing is deleted.
 */
export async function dropStored(files: Files, name: string): Promise<void> {
  const manifest = await manifestOf(files)
  const views = manifest?.views ?? []
  const dropped = views.find((view) => view.name === name)
  if (manifest === undefined || dropped === undefined) {
    const names = views.map((view) => view.name)
    const others = names.length === 0 ? 'The data directory has no views.' : didYouMean(name, names)
    throw stateError(`there is no view ${name}. ${others}`)
  }
  const rest = views.filter((view) => view !== dropped)
  // Files without an owner are deleted by the next start, whatever happens now.
  await writeManifest(files, { ...manifest, views: rest })
  if (rest.every(({ identity }) => identity !== dropped.identity)) await files.remove(viewPath(dropped.identity))
}

async function manifestOf(files: Files): Promise<Manifest | undefined> {
  try {
    return await readManifest(files)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw stateError(`the list of views is damaged: ${error.message} logweir check says what to do.`)
  }
}

/** The files of a view, without those with rows in a later file. */
async function liveStates(files: Files, identity: string): Promise<readonly StateFile[]> {
  const folder = viewPath(identity)
  const places = (await files.list(folder)).flatMap((name) => parseStatePath(`${folder}/${name}`) ?? [])
  const live: StateFile[] = []
  const segments = new Set<string>()
  for (const place of places.sort((a, b) => b.number - a.number)) {
    const state = await openStateFile(files, statePath(place)).catch((error) => {
      if (!isDamaged(error)) throw error
    })
    if (state === undefined || state.facts.segments.some(({ check }) => segments.has(check))) continue
    for (const { check } of state.facts.segments) segments.add(check)
    live.push(state)
  }
  return live
}
