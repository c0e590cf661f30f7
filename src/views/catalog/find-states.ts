import { isDamaged } from '../state/damage.js'
import { openStateFile, type StateFile } from '../state/read-file.js'
import { type Catalog, removeReplaced } from './catalog.js'
import { isIdentity, MANIFEST, parseStatePath, type StatePlace, VIEWS, viewPath } from './file-names.js'

/** A file that was found, with segments that may be gone or in another file. */
interface Found extends StatePlace {
  file: StateFile
}

/**
 * Finds the live files of a data directory. Deletes files without an owner: unfinished files, files with rows that are
 * in a later file, and folders of views that the manifest does not know. Ignores damaged files, and files with a
 * segment that is missing although it was not dropped: the other segments of such a file are there, and are grouped
 * again. `present` has the checks of the segments that are there. Undefined: all that were not dropped.
 */
export async function findStates(
  catalog: Catalog,
  present: ReadonlySet<string> | undefined,
  isManifest: boolean,
): Promise<void> {
  const { files, live, manifest } = catalog
  const owners = new Set(manifest.views.map(({ identity }) => identity))
  const released = new Set(manifest.released)
  const found: Found[] = []
  const names = await files.list(VIEWS)
  // A process that was killed may have renamed files without a sync. The files found now must survive a power cut
  // before segments are dropped because of it.
  if (names.length > 0) await files.syncDirectory(VIEWS)
  for (const name of names) {
    const path = viewPath(name)
    const isOwned = !isManifest || owners.has(name)
    if (isIdentity(name) && isOwned) found.push(...(await statesIn(catalog, path)))
    else if (path !== MANIFEST) await files.remove(path)
  }
  catalog.nextNumber = Math.max(manifest.numberLimit, ...found.map(({ number }) => number + 1))
  // A file has all rows of the earlier files that it replaces.
  for (const { number, file } of found.sort((a, b) => b.number - a.number)) {
    const isReleased = released.has(number)
    const without = new Set(file.facts.without)
    const state = { ...file, number, isReleased, releasedMs: catalog.clock.monotonicMs(), without }
    if (!live.isDisjoint(file)) {
      removeReplaced(catalog, [state])
      continue
    }
    const isKnown = isReleased || present === undefined
    const missing = isKnown ? undefined : file.facts.segments.find(({ check }) => !present.has(check))
    if (missing !== undefined) reportIgnored(catalog, file, `the segment ${missing.name} that it contains is missing`)
    else if (hasOtherStates(catalog, file)) reportIgnored(catalog, file, 'another version of logweir has written it')
    else live.add(state)
  }
  await catalog.removals.settled()
}

/** Opens the files of a view. Deletes other files. */
async function statesIn({ files, log }: Catalog, folder: string): Promise<Found[]> {
  const found: Found[] = []
  const names = await files.list(folder)
  if (names.length > 0) await files.syncDirectory(folder)
  for (const name of names) {
    const path = `${folder}/${name}`
    const place = parseStatePath(path)
    if (place === undefined) {
      await files.remove(path)
      continue
    }
    const file = await openStateFile(files, path).catch((error: Error) => {
      if (!isDamaged(error)) throw error
      log(error.message, { level: 'error', code: 'view_state_damaged', path })
    })
    if (file !== undefined && file.facts.view === place.identity && file.facts.day === place.day)
      found.push({ ...place, file })
  }
  return found
}

/** Whether the aggregates of a view have other states in this version. */
function hasOtherStates({ kept }: Catalog, { facts }: StateFile): boolean {
  const view = kept.get(facts.view)
  return view !== undefined && view.states.join() !== facts.states.join()
}

function reportIgnored({ log, kept }: Catalog, { path, facts }: StateFile, reason: string): void {
  for (const { check } of facts.segments) kept.get(facts.view)?.rest.add(check)
  log(`The file ${path} of a view is not read: ${reason}. The segments of the file that are there are grouped again.`, {
    level: 'warn',
    code: 'view_state_ignored',
    path,
  })
}
