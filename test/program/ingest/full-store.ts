import { execFileSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { MIB } from '../../../src/base/units.js'
import { temporaryFolder } from '../program.js'

/** A data directory that can be made to refuse every row, and to take them again. */
export interface FillableStore {
  dataDir: string
  /** What the refusal is made of. */
  kind: string
  fill(): void
  free(): void
}

/** On a small volume of its own where the test may mount one; elsewhere the journals' folder goes away for a while. */
export function fillableStore(sizeMib: number): FillableStore {
  const folder = temporaryFolder()
  return isMounted(folder, sizeMib) ? onVolume(folder) : withMovableJournals(folder)
}

function isMounted(folder: string, sizeMib: number): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeMib}m`, 'tmpfs', folder], { stdio: 'ignore' })
  } catch {
    return false
  }
  onTestFinished(() => void execFileSync('umount', ['--lazy', folder]))
  return true
}

function onVolume(folder: string): FillableStore {
  const dataDir = join(folder, 'data')
  return {
    dataDir,
    kind: 'a full volume',
    fill: () => writeUntilFull(join(folder, 'filler')),
    free: () => void execFileSync('mount', ['-o', 'remount,size=2g', folder]),
  }
}

function writeUntilFull(path: string): void {
  const file = openSync(path, 'w')
  try {
    for (let size = MIB; size >= 1; ) size = writtenWhole(file, size) ? size : size >> 1
  } finally {
    closeSync(file)
  }
}

function writtenWhole(file: number, size: number): boolean {
  try {
    return writeSync(file, Buffer.alloc(size, 'x')) === size
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return false
    throw error
  }
}

/** A source of which there is no journal yet cannot open one in a folder that is not there. */
function withMovableJournals(folder: string): FillableStore {
  const dataDir = join(folder, 'data')
  const [here, away] = [join(dataDir, 'journal'), join(folder, 'away')]
  mkdirSync(dataDir, { mode: 0o700 })
  return {
    dataDir,
    kind: 'a folder that is not there',
    fill: () => renameSync(here, away),
    free: () => renameSync(away, here),
  }
}
