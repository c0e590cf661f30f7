/** Work for an answer, as reported by the service. A member is undefined if the service does not report the number. */
export interface Cost {
  /** Rows that were read. */
  rows: number | undefined
  ms: number | undefined
}

/** Reads the service's value of `Server-Timing`. */
export function costOf(timing: string): Cost {
  const rows = /\brows;desc="(\d+)"/.exec(timing)?.[1]
  const ms = /\bengine;dur=([\d.]+)/.exec(timing)?.[1]
  return { rows: rows === undefined ? undefined : Number(rows), ms: ms === undefined ? undefined : Number(ms) }
}
