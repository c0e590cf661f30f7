import type { LineFault } from './scan-block.js'

/** Counts the lines that the report at the end mentions. */
export interface Report {
  /** Starts a reading of all lines. Lines that several readings count are reported once. */
  startReading(): void
  add(counts: { faults: ReadonlyMap<LineFault, number>; unreadableTimes: number }): void
  addTooLong(lines: number): void
  /** Counts lines that came when the bucket of their time was printed. */
  addLate(lines: number): void
  /** Returns a sentence for each kind of line. */
  sentences(): string[]
}

/** A line that is left out, or a time that cannot be read. */
type Told = LineFault | 'late' | 'unreadable_time'

const SENTENCES: Readonly<Record<Told, string>> = {
  invalid_json: 'left out: no JSON.',
  not_an_object: 'left out: no JSON object.',
  too_deep: 'left out: nested too deep.',
  invalid_utf8: 'left out: no valid UTF-8.',
  line_too_long: 'left out: longer than 1 MiB.',
  unreadable_time: 'without a timestamp: the value is no time.',
  late: 'left out: their bucket of time was printed before. See --late.',
}

/** Creates a report without faults. */
export function createReport(): Report {
  const most = new Map<Told, number>()
  let reading = new Map<Told, number>()
  const count = (told: Told, lines: number) => {
    const sum = (reading.get(told) ?? 0) + lines
    if (sum === 0) return
    reading.set(told, sum)
    most.set(told, Math.max(sum, most.get(told) ?? 0))
  }
  return {
    startReading() {
      reading = new Map()
    },
    add({ faults, unreadableTimes }) {
      for (const [fault, lines] of faults) count(fault, lines)
      count('unreadable_time', unreadableTimes)
    },
    addTooLong: (lines) => count('line_too_long', lines),
    addLate: (lines) => count('late', lines),
    sentences() {
      const all = Object.keys(SENTENCES) as Told[]
      return all.flatMap((told) => {
        const lines = most.get(told)
        return lines === undefined ? [] : [`${linesText(lines)} ${SENTENCES[told]}`]
      })
    },
  }
}

const linesText = (lines: number) => `${lines.toLocaleString('en-US')} ${lines === 1 ? 'line' : 'lines'}`
