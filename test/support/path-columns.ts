import { type Files, writeFile } from '../../src/engine/disk/files/files.js'
import type { FieldPath } from '../../src/engine/execute/columns/field-path.js'
import { UNFINISHED_SUFFIX } from '../../src/engine/store/files/file-names.js'
import { encodePaths } from '../../src/engine/store/files/path-file.js'
import { loadSegment, readSegmentFacts } from '../../src/engine/store/files/segment-file.js'
import { columnsOf, makeMessageFilter } from '../../src/engine/store/path-columns/make-path-columns.js'
import type { Segment } from '../../src/engine/store/segment/segment.js'

/**
 * Adds columns of paths, and filters of messages, to the segments of a data directory, however few rows the segments
 * have, and however rarely the values repeat. `isWanted` is called for each segment, path and filter.
 */
export async function addPathColumns(files: Files, isWanted: () => boolean = () => true): Promise<void> {
  for (const source of await files.list('segments')) {
    for (const day of await files.list(`segments/${source}`)) {
      for (const name of await files.list(`segments/${source}/${day}`)) {
        // The file that a stop in the middle of a write left behind.
        if (name.endsWith(UNFINISHED_SUFFIX)) continue
        if (isWanted()) await addTo(files, `segments/${source}/${day}/${name}`, isWanted)
      }
    }
  }
}

async function addTo(files: Files, directory: string, isWanted: () => boolean): Promise<void> {
  const facts = await readSegmentFacts(files, directory)
  const segment = await loadSegment(files, directory, facts)
  const paths = (await pathsOf(segment)).filter(isWanted)
  const columns = await columnsOf(segment, paths, () => undefined)
  const messages = isWanted() ? await makeMessageFilter(segment, () => undefined) : undefined
  if (columns.length === 0 && messages === undefined) return
  await writeFile(
    files,
    `${directory}/paths.arrow`,
    await encodePaths({ columns, messages }, facts, Number.POSITIVE_INFINITY),
  )
}

/** The paths of all values in the metadata of a segment. A list leads to its first element. */
async function pathsOf(segment: Segment): Promise<FieldPath[]> {
  const found = new Map<string, FieldPath>()
  const visit = (value: unknown, keys: readonly string[]) => {
    for (const isCount of [false, true]) found.set(JSON.stringify([isCount, ...keys]), { keys, isCount })
    const [object] = Array.isArray(value) ? value : [value]
    if (typeof object !== 'object' || object === null) return
    for (const [key, member] of Object.entries(object)) visit(member, [...keys, key.toWellFormed()])
  }
  const read = segment.openCold()
  for (let row = 0; row < segment.rows; row++) visit(JSON.parse(Buffer.from((await read(row)).metadata).toString()), [])
  return [...found.values()]
}
