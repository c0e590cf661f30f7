import { DAY_US } from '../../base/units.js'
import { hotColumns } from '../../common/columns.js'
import { isSystemError } from '../../engine/disk/files/file-errors.js'
import type { Files } from '../../engine/disk/files/files.js'
import { type Column, timeAt } from '../../engine/execute/columns/batch.js'
import { ABSENT, type Codes, compareEntry, type Dictionary, entryOf } from '../../engine/execute/columns/dictionary.js'
import { faultIn } from '../../engine/store/files/damage.js'
import type { SegmentFacts } from '../../engine/store/files/facts.js'
import {
  type HotColumns,
  loadColumns,
  loadHot,
  readColumnNames,
  readProjectCodes,
} from '../../engine/store/files/hot-load.js'
import { type Finding, fault } from '../findings/finding.js'

/** The result of reading a hot file. */
export interface HotReport {
  findings: Finding[]
  /** The times of the rows, if the times are intact. */
  times: HotColumns['times'] | undefined
  /** The own columns that are intact. */
  columns: string[]
  /** Whether only own columns are damaged that rows may lack. */
  canLackDamaged: boolean
}

const NO_COLUMNS: ReadonlySet<string> = new Set()

/**
 * Reads all columns of a hot file, one column at a time: the checksums, the numbers of values, and the order of the
 * rows. Rejects with the system's error.
 */
export async function checkHot(files: Files, path: string, facts: SegmentFacts): Promise<HotReport> {
  const report: HotReport = { findings: [], times: undefined, columns: [], canLackDamaged: true }
  const { rows, source, minUs, maxUs } = facts
  const cost = { source, rows, fromUs: minUs, throughUs: maxUs }
  await attempt(report, path, cost, false, async () => {
    const parts = await loadHot(files, path, NO_COLUMNS)
    report.times = parts.times
    const wrong = wrongOrder(parts, await readProjectCodes(files, path), facts)
    if (wrong === undefined) return
    report.canLackDamaged = false
    report.findings.push(fault('wrong_order', path, wrong, { cost }))
  })
  if (report.times === undefined) return report
  for (const name of await readColumnNames(files, path)) {
    await attempt(report, path, cost, mayLack(facts, name), async () => {
      const column = (await loadColumns(files, path, new Set([name]))).get(name)
      if (column === undefined || !isWhole(column, rows))
        throw new Error(`its column ${name} has not a value for each row`)
      report.columns.push(name)
    })
  }
  return report
}

/** Whether rows without the column are whole: values are then read from the metadata. */
function mayLack({ source }: SegmentFacts, name: string): boolean {
  const column = hotColumns(source).find((one) => one.name === name)
  return column === undefined || (column.isLater ?? column.isFieldOnly ?? false)
}

/** Runs a part of the check, and notes the damage that the part rejects with. */
async function attempt(
  report: HotReport,
  path: string,
  cost: Finding['cost'],
  isLackable: boolean,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (isSystemError(error)) throw error
    report.findings.push(fault('damaged_column', path, faultIn(error as Error), { ...(cost && { cost }) }))
    report.canLackDamaged &&= isLackable
  }
}

function isWhole(column: Column, rows: number): boolean {
  if (column.kind === 'areas') return column.flags.length === rows
  if (column.kind === 'number') return column.values.length === rows
  const { codes, dictionary } = column
  return codes.length === rows && codes.every((code) => code < dictionary.count)
}

/** Returns the fault in the order of the rows or in the facts about the rows. Returns undefined if both are correct. */
function wrongOrder(
  { times, projects, inMetadata }: HotColumns,
  codes: Codes,
  { rows, day, minUs, maxUs }: SegmentFacts,
): string | undefined {
  if (times.offsets.length !== rows || codes.length !== rows) return `it has not ${rows} rows`
  if (!areDistinct(projects.dictionary)) return 'its projects are not sorted'
  let [least, greatest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (let row = 0; row < rows; row++) {
    const timestampUs = timeAt(times, row)
    const code = codes[row]
    if (code >= projects.dictionary.count) return `row ${row} has a project that the file does not name`
    if (row > 0 && code < codes[row - 1]) return `row ${row} is not sorted by project`
    if (row > 0 && code === codes[row - 1] && timestampUs < timeAt(times, row - 1))
      return `row ${row} is not sorted by time`
    if (timestampUs < least) least = timestampUs
    if (timestampUs > greatest) greatest = timestampUs
  }
  if (least !== minUs || greatest !== maxUs) return 'its first or last time is another one than it says'
  if (minUs < day * DAY_US || maxUs >= (day + 1) * DAY_US) return 'it has rows of another day than it says'
  const hasOtherBits = inMetadata.rows?.some((bits) => (bits & ~inMetadata.mask) !== 0) ?? false
  return hasOtherBits ? 'its rows have other bits in in_metadata than it says' : undefined
}

/** Whether the entries ascend by their bytes, except the entry for absent values. */
function areDistinct(dictionary: Dictionary): boolean {
  for (let code = ABSENT + 2; code < dictionary.count; code++) {
    if (compareEntry(dictionary, code - 1, entryOf(dictionary, code)) >= 0) return false
  }
  return true
}
