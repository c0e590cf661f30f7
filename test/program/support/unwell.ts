import { execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from './program.js'

const PRELOAD = new URL('./unwell-disk.mjs', import.meta.url).href

/** A data directory on a disk that a test makes unwell, simulated in the program itself. */
export interface UnwellDisk {
  directory: string
  /** Variables that a program needs to notice. */
  environment: Record<string, string>
  /** From now on writes fail with a code such as EROFS, or fsync fails (`sync`), or calls do not end (`hang`). */
  become(illness: string): void
  recover(): void
}

export function makeUnwellDisk(): UnwellDisk {
  const folder = temporaryFolder()
  const [illness, fifo] = [join(folder, 'illness'), join(folder, 'fifo')]
  execFileSync('mkfifo', [fifo])
  return {
    directory: join(folder, 'data'),
    environment: { NODE_OPTIONS: `--import ${PRELOAD}`, UNWELL_FILE: illness, UNWELL_FIFO: fifo },
    become: (what) => writeFileSync(illness, what),
    recover: () => rmSync(illness, { force: true }),
  }
}
