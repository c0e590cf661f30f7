import { execFile } from 'node:child_process'
import { mkdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { CLI, ROOT } from './program.js'

const PATH = join(ROOT, `build/logweir-${process.platform}-${process.arch}`)
const LOCK = join(ROOT, 'build/lock')

const changedMs = (path: string) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0

/** Time to wait for an executable, in milliseconds: its Node comes from the registry at the first time. */
export const EXECUTABLE_MS = 180_000

/** Returns the path of the executable, built after the program was. One process builds at a time. */
export async function executable(): Promise<string> {
  mkdirSync(join(ROOT, 'build'), { recursive: true })
  while (!isLocked()) await wait(100)
  try {
    const script = join(ROOT, 'scripts/build-executable.mjs')
    if (changedMs(PATH) < changedMs(CLI)) await promisify(execFile)('node', [script], { cwd: ROOT })
  } finally {
    rmSync(LOCK, { recursive: true })
  }
  return PATH
}

/** Takes the lock. Returns false if another process has it, unless that process has ended long ago. */
function isLocked(): boolean {
  if (Date.now() - changedMs(LOCK) > EXECUTABLE_MS) rmSync(LOCK, { recursive: true, force: true })
  try {
    mkdirSync(LOCK)
    return true
  } catch {
    return false
  }
}
