import type { Files } from '../../../disk/files/files.js'
import {
  type HeadId,
  JOURNALS,
  journalPath,
  parseJournalName,
  parseSegmentName,
  REMOVED_SUFFIX,
  SEGMENTS,
  UNFINISHED_SUFFIX,
} from './file-names.js'

/** The contents of a data directory, by the names in it. */
export interface Inventory {
  /** Sorted by source, then in the order in which the heads were opened. */
  journals: readonly HeadId[]
  /** In the same order, then by part. */
  segments: readonly SegmentPlace[]
  /** Paths that unfinished sealing or deletion left behind. */
  leftovers: readonly string[]
}

/** A segment and its directory. */
export interface SegmentPlace extends HeadId {
  part: number
  path: string
}

/** Lists a data directory without changing it. Ignores unknown names. */
export async function takeInventory(files: Files): Promise<Inventory> {
  const journals = (await files.list(JOURNALS)).map(parseJournalName).filter((id) => id !== undefined)
  const unfinished = new Set(journals.map(journalPath))
  const segments: SegmentPlace[] = []
  const leftovers: string[] = []
  for await (const { source, name, path } of segmentNames(files)) {
    const id = parseSegmentName(source, name)
    if (name.endsWith(UNFINISHED_SUFFIX) || name.endsWith(REMOVED_SUFFIX)) leftovers.push(path)
    else if (id !== undefined && unfinished.has(journalPath(id))) leftovers.push(path)
    else if (id !== undefined) segments.push({ ...id, path })
  }
  return { journals: journals.sort(inOrder), segments: segments.sort(inOrder), leftovers }
}

async function* segmentNames(files: Files): AsyncIterable<{ source: string; name: string; path: string }> {
  for (const source of await files.list(SEGMENTS)) {
    for (const day of await files.list(`${SEGMENTS}/${source}`)) {
      const directory = `${SEGMENTS}/${source}/${day}`
      for (const name of await files.list(directory)) yield { source, name, path: `${directory}/${name}` }
    }
  }
}

function inOrder(a: HeadId & { part?: number }, b: HeadId & { part?: number }): number {
  // Not with localeCompare: its first call loads language rules, which would take 15 ms of each start.
  if (a.source !== b.source) return a.source < b.source ? -1 : 1
  return a.number - b.number || (a.part ?? 0) - (b.part ?? 0)
}
