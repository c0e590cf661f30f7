import type { LineFault } from './scan-block.js'

/** Counts what is told of lines at the end. */
export interface Report {
  add(counts: { faults: ReadonlyMap<LineFault, number>; unreadableTimes: number }): void
  addTooLong(lines: number): void
  /** Counts lines that came when the bucket of their time was printed. */
  addLate(lines: number): void
  /** Returns a sentence for each kind of fault. */
  sentences(): string[]
}

const MEANINGS: Readonly<Record<LineFault, string>> = {
  invalid_json: 'no JSON',
  not_an_object: 'no JSON object',
  too_deep: 'nested too deep',
  invalid_utf8: 'no valid UTF-8',
  line_too_long: 'longer than 1 MiB',
}

/** Creates a report without faults. */
export function createReport(): Report {
  const faults = new Map<LineFault, number>()
  let unreadableTimes = 0
  let late = 0
  const count = (fault: LineFault, lines: number) => void faults.set(fault, (faults.get(fault) ?? 0) + lines)
  return {
    add(counts) {
      for (const [fault, lines] of counts.faults) count(fault, lines)
      unreadableTimes += counts.unreadableTimes
    },
    addTooLong: (lines) => {
      if (lines > 0) count('line_too_long', lines)
    },
    addLate(lines) {
      late += lines
    },
    sentences() {
      const told = [...faults].map(([fault, lines]) => `${linesText(lines)} left out: ${MEANINGS[fault]}.`)
      if (unreadableTimes > 0) told.push(`${linesText(unreadableTimes)} without a timestamp: the value is no time.`)
      if (late > 0) told.push(`${linesText(late)} left out: their bucket of time was printed before. See --late.`)
      return told
    },
  }
}

const linesText = (lines: number) => `${lines.toLocaleString('en-US')} ${lines === 1 ? 'line' : 'lines'}`
