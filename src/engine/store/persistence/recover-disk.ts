import type { SourceName } from '../../../common/sources.js'
import { isOfOneFile } from '../../disk/files/file-errors.js'
import type { Files } from '../../disk/files/files.js'
import { type Damage, recoverJournal } from '../../disk/journal/recover.js'
import { continueJournal, createJournal } from '../../disk/journal/writer.js'
import type { IngestBatch } from '../../engine.js'
import { DiskSegment } from '../files/disk-segment.js'
import { emptiedPath, isDayPath, JOURNALS, journalPath, parseJournalName, SEGMENTS } from '../files/file-names.js'
import { type Inventory, type RowsToRead, takeInventory } from '../files/inventory.js'
import { openDiskHead } from './disk-head.js'
import { addSegment, type DiskState, reserveNumber } from './disk-state.js'
import { keepDamaged } from './keep-damaged.js'
import { type FoundJournal, findJournals, findLiveJournals } from './live-journals.js'
import { type FoundSegment, readSegments, withoutCopies } from './live-segments.js'
import { missingFiles } from './missing.js'
import type { HeadPersistence, RecoveryTarget } from './persistence.js'
import type { RecoveryVisitor } from './recovery-visitor.js'
import { resolveUnfinished } from './unfinished-seals.js'

/**
 * Recovers all rows below the data directory into an empty store: segments, then the heads of journals. Deletes
 * leftovers of unfinished work. Rejects with the system's error if the error concerns more than a single file, or with
 * `newer_format`.
 */
export async function recoverDisk(state: DiskState, store: RecoveryTarget, visitor: RecoveryVisitor): Promise<void> {
  const { files } = state
  for (const directory of [JOURNALS, SEGMENTS]) await files.makeDirectory(directory)
  await files.syncDirectory('')
  // A process that was killed may have deleted a journal without a sync. If the journal came back later, its rows would
  // be stored again after their segments were dropped.
  await files.syncDirectory(JOURNALS)
  const inventory = await takeInventory(files)
  reserveNumbers(state, inventory)
  const live = await findLive(state, inventory, visitor)
  await removeLeftovers(state, inventory.leftovers, live.leftovers)
  await removeOldEmptied(state, inventory)
  const kept: string[] = []
  for (const path of live.replaced) kept.push(await keepDamaged(files, path))
  state.otherBytes = await bytesOfOthers(state, inventory, live, kept)
  reportOthers(inventory, live, visitor)
  for (const { place, facts } of live.segments) {
    const segment = new DiskSegment(state, place, facts, true)
    addSegment(state, segment)
    store.adopt(segment)
  }
  for (const journal of live.journals) await recoverHead(state, journal, store, visitor)
}

/**
 * Recovers some rows like {@link recoverDisk}, but changes nothing: leftovers stay and are ignored, and heads accept no
 * further rows. The sealer of the store must refuse to seal.
 */
export async function recoverToRead(
  state: DiskState,
  store: RecoveryTarget,
  visitor: RecoveryVisitor,
  toRead: RowsToRead,
): Promise<void> {
  const { files } = state
  const { segments, journals } = await findLive(state, await takeInventory(files, toRead), visitor)
  for (const { place, facts } of segments) store.adopt(new DiskSegment(state, place, facts, true))
  for (const { id, path } of journals) {
    await store.reopen(id.source, { ...NO_PERSISTENCE, number: id.number }, async (show) => {
      await recoverJournal(files, path, id.source, showingBatches(show, path, visitor))
      return 'none'
    })
  }
}

const refuse = () => Promise.reject(new TypeError('The directory is open to be read.'))
const NO_PERSISTENCE: Omit<HeadPersistence, 'number'> = {
  append: refuse,
  write: refuse,
  commit: refuse,
  isFailing: () => false,
}

/** The files with rows to recover, and the actions for some other files. */
interface LiveFiles {
  segments: readonly FoundSegment[]
  journals: readonly FoundJournal[]
  /** Paths to delete. */
  leftovers: readonly string[]
  /** Paths to rename. */
  replaced: readonly string[]
}

async function findLive({ files }: DiskState, inventory: Inventory, visitor: RecoveryVisitor): Promise<LiveFiles> {
  const unreadable = new Map<string, Error>()
  const sealed = await readSegments(files, inventory.segments, visitor.unreadable)
  const others = await readSegments(files, inventory.unfinished, (path, error) => void unreadable.set(path, error))
  const originals = new Set(withoutCopies([...sealed, ...others], visitor.copy))
  const isOriginal = (segment: FoundSegment) => originals.has(segment)
  const journals = await findJournals(files, inventory.journals)
  const unfinished = { places: inventory.unfinished, found: others.filter(isOriginal), unreadable }
  const resolved = await resolveUnfinished(files, journals, unfinished, visitor)
  const segments = [...sealed.filter(isOriginal), ...resolved.segments]
  const candidates = journals.filter((journal) => !resolved.sealed.has(journal))
  return { ...resolved, segments, journals: findLiveJournals(candidates, segments, visitor) }
}

/**
 * Deletes leftovers, and the directories of days that are empty then. If the system cannot delete a file of a name that
 * is never read, the file may stay. The next start would read `live` files.
 */
async function removeLeftovers({ files }: DiskState, neverRead: readonly string[], live: readonly string[]) {
  for (const path of live) await files.remove(path)
  for (const path of neverRead) await files.remove(path).catch(unlessOfOneFile(files, path))
  const days = new Set([...neverRead, ...live].map((path) => path.split('/').slice(0, -1).join('/')).filter(isDayPath))
  for (const day of days) if ((await files.list(day)).length === 0) await files.remove(day)
}

/** Deletes the files in place of segments that are older than all rows: nothing asks for these segments any more. */
async function removeOldEmptied({ files }: DiskState, inventory: Inventory): Promise<void> {
  const { emptied, segments, unfinished, journals } = inventory
  const oldestDay = [...segments, ...unfinished].reduce((oldest, { day }) => Math.min(oldest, day), Infinity)
  const firstHeads = new Map<SourceName, number>()
  for (const { source, number } of [...segments, ...unfinished, ...journals])
    firstHeads.set(source, Math.min(number, firstHeads.get(source) ?? number))
  for (const place of emptied) {
    const isOldest = place.day < oldestDay && place.number < (firstHeads.get(place.source) ?? 0)
    if (isOldest) await files.remove(emptiedPath(place))
  }
}

const unlessOfOneFile = (files: Files, path: string) => async (error: unknown) => {
  if (!(await isOfOneFile(files, path, error))) throw error
}

/** Marks the numbers of all files as used, also the numbers of files that are not live. */
function reserveNumbers(state: DiskState, inventory: Inventory): void {
  const { journals, segments, unfinished, emptied, setAside } = inventory
  const kept = setAside.map((path) =>
    parseJournalName(path.slice(JOURNALS.length + 1).replace(/(\.\d+)?\.[a-z]+$/, '')),
  )
  for (const id of [...journals, ...segments, ...unfinished, ...emptied, ...kept])
    if (id !== undefined) reserveNumber(state, id)
}

async function bytesOfOthers(
  { files }: DiskState,
  inventory: Inventory,
  live: LiveFiles,
  kept: readonly string[],
): Promise<number> {
  const { journals, segments, setAside, unknown } = inventory
  const livePaths = new Set([...live.segments.map(({ place }) => place.path), ...live.journals.map(({ path }) => path)])
  const others = [...segments.map(({ path }) => path), ...journals.map(journalPath), ...setAside, ...unknown, ...kept]
  let bytes = 0
  for (const path of others) if (!livePaths.has(path)) bytes += await files.bytesBelow(path)
  return bytes
}

function reportOthers(
  { journals, segments: sealed, unfinished, emptied, setAside, unknown }: Inventory,
  { segments }: LiveFiles,
  visitor: RecoveryVisitor,
): void {
  const missing = missingFiles({ journals, places: [...sealed, ...unfinished], emptied, segments })
  if (missing.length > 0) visitor.missing(missing)
  if (setAside.length > 0) visitor.kept(setAside)
  if (unknown.length > 0) visitor.unknown(unknown)
}

/**
 * Recovers the head of an earlier process. The journal is continued, unless there is damage between frames: then the
 * rows are sealed, and the journal is kept under another name. A damaged journal without a readable row stays
 * unchanged.
 */
async function recoverHead(
  state: DiskState,
  { id, path, bytes, header: found }: FoundJournal,
  store: RecoveryTarget,
  visitor: RecoveryVisitor,
): Promise<void> {
  const { files } = state
  const { source } = id
  const head = openDiskHead(state, id, found?.marker)
  await store.reopen(source, head, async (show) => {
    const showing = showingBatches(show, path, visitor)
    const batch = async (recovered: IngestBatch) => {
      showing.batch(recovered)
      await waitForRoom(state, store)
    }
    const { header, length, rows, damaged } = await recoverJournal(files, path, source, { ...showing, batch })
    if (damaged !== 'inside') {
      const journal = header && continueJournal(files, path, header, length)
      head.continueWith(journal ?? createJournal(files, path, source))
      if (!state.isClosed(id)) return 'open'
      if (rows > 0) return 'full'
      await head.commit()
      return 'none'
    }
    state.otherBytes += bytes
    if (rows === 0) return 'none'
    head.keepJournal()
    return 'full'
  })
  await waitForRoom(state, store)
}

/**
 * Returns a visitor that shows batches. If a damaged journal has lost the header with its source, a batch may be of
 * another source. A batch of another source is damage too.
 */
function showingBatches(show: (batch: IngestBatch) => void, path: string, visitor: RecoveryVisitor) {
  let isDamaged = false
  const damage = (stretch: Damage) => {
    isDamaged = true
    visitor.damage(stretch)
  }
  const batch = (recovered: IngestBatch) => {
    try {
      show(recovered)
    } catch (error) {
      if (!isDamaged || !(error instanceof TypeError)) throw error
      damage({ path, offset: 0, bytes: recovered.ipc.length, unreadable: error.message })
    }
  }
  return { batch, damage, torn: visitor.torn }
}

/**
 * Waits until recovered heads take no more memory than the heads of the earlier process. The service is ready before
 * the heads are sealed. Does not wait while the disk fails: a full disk must not keep the service from starting.
 */
const waitForRoom = ({ diskRetry }: DiskState, store: RecoveryTarget) =>
  Promise.race([store.room(), diskRetry.failing()])
