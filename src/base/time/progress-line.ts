import type { Clock } from './clock.js'

const INTERVAL_MS = 500
const CLEAR_LINE = '\r\u001b[K'

/** A line of a terminal that shows progress. */
export interface ProgressLine {
  /** Shows the text, at most twice a second. */
  show(textOf: () => string): void
  clear(): void
}

/** Creates a progress line, which shows nothing without a terminal. */
export function createProgressLine(
  terminal: { write(text: string): unknown } | undefined,
  clock: Pick<Clock, 'monotonicMs'>,
): ProgressLine {
  let shownMs = Number.NEGATIVE_INFINITY
  return {
    show(textOf) {
      if (terminal === undefined || clock.monotonicMs() - shownMs < INTERVAL_MS) return
      shownMs = clock.monotonicMs()
      terminal.write(CLEAR_LINE + textOf())
    },
    clear: () => void terminal?.write(CLEAR_LINE),
  }
}
