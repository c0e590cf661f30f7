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

/** What a data directory holds, by the names in it. */
export interface Inventory {
  /** In the order in which their heads were opened, source by source. */
  journals: readonly HeadId[]
  /** The same. */
  segments: readonly SegmentPlace[]
  /** Paths of what an unfinished seal or removal has left. */
  leftovers: readonly string[]
}

export interface SegmentPlace extends HeadId {
  part: number
  path: string
}

/** Lists a data directory. Names that mean nothing here are left alone. */
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
  // Not by localeCompare: its first call loads the rules of a language, which would take 15 ms of each start.
  if (a.source !== b.source) return a.source < b.source ? -1 : 1
  return a.number - b.number || (a.part ?? 0) - (b.part ?? 0)
}
