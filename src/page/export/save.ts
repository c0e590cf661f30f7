/** Saves rows as a file. */
import { Failure } from '../api/api.js'
import { count } from '../shared/format.js'
import type { OutputFile } from './file.js'
import { createWriter, type ExportRow, type Format } from './formats.js'
import type { ExportRows, Work } from './source.js'

/** Maximum of rows in a file. */
const MAX_ROWS = 1_000_000

/** How far a file is. */
export interface Progress {
  rows: number
  /** Undefined if unknown. */
  total: number | undefined
  bytes: number
}

/**
 * Writes rows to a file, and returns the number of rows. If not all rows can be written, discards the file and throws:
 * a Failure, or the reason of `work.signal`.
 */
export async function saveRows(
  given: ExportRows,
  { file, format, work }: { file: OutputFile; format: Format; work: Work },
  onProgress: (progress: Progress) => void,
): Promise<number> {
  try {
    const total = await given.count?.(work)
    if ((total ?? 0) > MAX_ROWS) throw tooMany(count(total!))
    const writer = createWriter(format, given.columns)
    let rows = 0
    onProgress({ rows, total, bytes: 0 })
    for await (const page of pagesOf(given, work)) {
      rows += page.length
      // More rows can arrive than were counted.
      if (rows > MAX_ROWS) throw tooMany(`over ${count(MAX_ROWS)}`)
      await file.write(writer.rows(page))
      work.signal.throwIfAborted()
      onProgress({ rows, total, bytes: file.bytes })
    }
    await file.write(writer.end())
    work.signal.throwIfAborted()
    await file.finish()
    return rows
  } catch (error) {
    await file.discard().catch(() => {})
    throw error
  }
}

const pagesOf = (
  { pages }: ExportRows,
  work: Work,
): Iterable<readonly ExportRow[]> | AsyncIterable<readonly ExportRow[]> =>
  typeof pages === 'function' ? pages(work) : [pages]

const tooMany = (rows: string) =>
  new Failure(
    'refused',
    `The range has ${rows} rows, and a file at most ${count(MAX_ROWS)}. Choose a shorter range, or save it in parts.`,
  )
