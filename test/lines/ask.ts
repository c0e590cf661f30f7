import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createFakeClock } from '../support/clock.js'
import { parsedRows } from './parsed-rows.js'

/** Runs `logweir lines` in the process of a test. The caller's file is isolated: the table becomes a known source. */

const { readLinesConfig } = await import('../../src/lines/lines-config.js')
const { queryLines } = await import('../../src/lines/query-lines.js')

/** The time of the queries: 2026-11-25 10:37:42 UTC, in microseconds since the epoch. */
export const NOW_US = Date.UTC(2026, 10, 25, 10, 37, 42) * 1000

/** The output of a run, the sentences on standard error, and the error that has ended the run. */
interface LinesAnswer {
  text: string
  told: string[]
  error: { code: string | undefined; message: string } | undefined
}

/** Runs a query over files to the end. */
export async function askLines(sql: string, paths: readonly string[], flags: readonly string[] = []) {
  const [written, told] = [[] as Buffer[], [] as string[]]
  let error: LinesAnswer['error']
  try {
    await queryLines(readLinesConfig([sql, ...paths, ...flags], {}), {
      clock: createFakeClock(NOW_US),
      log: (message) => void told.push(message),
      out: { write: async (piece) => void written.push(Buffer.from(piece as string)), terminal: undefined },
      screen: undefined,
    })
  } catch (thrown) {
    const { code, message } = thrown as Error & { code?: string }
    error = { code, message }
  }
  return { text: Buffer.concat(written).toString(), told, error } satisfies LinesAnswer
}

/** Returns the rows of a query that must succeed, as JSON.parse reads the rows. */
export async function rowsOf(sql: string, paths: readonly string[], flags: readonly string[] = []): Promise<unknown[]> {
  const { text, error } = await askLines(sql, paths, flags)
  if (error !== undefined) throw new Error(error.message)
  return parsedRows(text)
}

let files = 0

/** Creates a function that writes files, which are removed when the test ends, and returns the paths. */
export function fileMaker(): (content: string | Uint8Array) => string {
  const folder = mkdtempSync(join(tmpdir(), 'logweir-lines-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return (content) => {
    const path = join(folder, `${files++}.ndjson`)
    writeFileSync(path, content)
    return path
  }
}
