/** Work of the service for an answer, as it reports it; undefined if it does not. */
export interface Cost {
  /** Rows that were read. */
  rows: number | undefined
  ms: number | undefined
}

/** Reads a value of `Server-Timing` as the service writes it. */
export function costOf(timing: string): Cost {
  const rows = /\brows;desc="(\d+)"/.exec(timing)?.[1]
  const ms = /\bengine;dur=([\d.]+)/.exec(timing)?.[1]
  return { rows: rows === undefined ? undefined : Number(rows), ms: ms === undefined ? undefined : Number(ms) }
}
