import { dirname } from 'node:path/posix'
import type { SourceName } from '../../common/sources.js'
import type { Files } from '../../engine/disk/files/files.js'
import { exists } from '../files/read-again.js'
import type { Repaired } from '../findings/format.js'
import { DAMAGED } from '../findings/set-aside.js'
import { parseJournal, parseSegment } from '../read/list-entries.js'

/** The shared state of all repairs of one call. */
export interface RepairState {
  /** The files of a directory that this process has locked. */
  files: Files
  /** The directory below `damaged` for this call. */
  aside: string
  /** Called after each repair. */
  onRepaired(repaired: Repaired): Promise<void> | void
  /** Returns a head number of a source that no journal and no segment has. Each call returns another number. */
  nextNumber(source: SourceName): Promise<number>
}

/** Returns the state of repairs that begin at a time. */
export function createRepairState(files: Files, nowUs: number, onRepaired: RepairState['onRepaired']): RepairState {
  const taken = new Map<SourceName, number>()
  const time = new Date(nowUs / 1000).toISOString().replaceAll(':', '-')
  return {
    files,
    aside: `${DAMAGED}/${time}`,
    onRepaired,
    async nextNumber(source) {
      const number = (taken.get(source) ?? (await greatestNumber(files, source))) + 1
      taken.set(source, number)
      return number
    },
  }
}

/** Returns the greatest number in any name, leftovers included. */
async function greatestNumber(files: Files, source: SourceName): Promise<number> {
  let greatest = 0
  for (const name of await files.list('journal')) {
    const id = parseJournal(name.replace(/\.log\..*$/, '.log'))
    if (id?.source === source) greatest = Math.max(greatest, id.number)
  }
  for (const day of await files.list(`segments/${source}`)) {
    for (const name of await files.list(`segments/${source}/${day}`)) {
      const id = parseSegment(source, name.replace(/\..*$/, ''))
      if (id !== undefined) greatest = Math.max(greatest, id.number)
    }
  }
  return greatest
}

/** Makes the directory of a path and its parents, and makes the directories survive a power cut. */
export async function makeParents(files: Files, path: string): Promise<void> {
  const parent = dirname(path)
  await files.makeDirectory(parent)
  for (let at = parent; at !== '.'; at = dirname(at)) await files.syncDirectory(at)
  await files.syncDirectory('')
}

/** Renames a file or directory to a path that must not exist, and makes the rename survive a power cut. */
export async function move(files: Files, from: string, to: string): Promise<void> {
  await makeParents(files, to)
  await files.rename(from, to)
  await files.syncDirectory(dirname(to))
  await files.syncDirectory(parentOf(from))
}

/** Returns the directory of a path. Returns an empty text for the data directory itself. */
export function parentOf(path: string): string {
  const parent = dirname(path)
  return parent === '.' ? '' : parent
}

/** Moves a file or directory to `damaged`. Returns the new path. */
export async function setAside({ files, aside, onRepaired }: RepairState, path: string): Promise<string> {
  const to = await freePath(files, `${aside}/${path}`)
  await move(files, path, to)
  await onRepaired({ level: 'repaired', path, what: `moved to ${to}` })
  return to
}

/** Returns the path, or the path with the first free number at the end. */
async function freePath(files: Files, path: string): Promise<string> {
  let free = path
  for (let number = 2; await exists(files, free); number++) free = `${path}.${number}`
  return free
}
