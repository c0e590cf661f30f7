import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A folder of its own, gone when the test ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'logweir-tokens-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export const modeOf = (path: string) => statSync(path).mode & 0o777
