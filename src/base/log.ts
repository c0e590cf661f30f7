/** Says one line to the person who runs the program. Never a token, never a record's text. */
export type Log = (line: string) => void

/** Lines on stderr, after the program's name. A stderr that is closed is no reason to stop. */
export function createStderrLog(): Log {
  process.stderr.on('error', () => {})
  return (line) => process.stderr.write(`logweir: ${line}\n`)
}
