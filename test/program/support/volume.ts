import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { temporaryFolder } from './program.js'

/** A data directory with so much room and no more. */
export interface Volume {
  directory: string
  /** What a program that uses it must have in its environment. */
  environment: Record<string, string>
  resize(bytes: number): void
  /** Takes all room that is left; what is returned gives it back. */
  fill(): () => void
}

/** A file system in memory, of its own. */
function mountVolume(bytes: number): Volume {
  const folder = temporaryFolder()
  const mount = (...options: string[]) => execFileSync('mount', [...options, folder], { stdio: 'pipe' })
  mount('-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs')
  // Lazily: also where a program that must not live any more still does.
  onTestFinished(() => void execFileSync('umount', ['--lazy', folder]))
  const directory = join(folder, 'data')
  mkdirSync(directory)
  return {
    directory,
    environment: {},
    resize: (bytes) => void mount('-o', `remount,size=${bytes}`),
    fill: () => fillUp(join(folder, 'filler')),
  }
}

function fillUp(path: string): () => void {
  for (let piece = 1024 * 1024; piece >= 1; piece /= 2) {
    try {
      for (;;) writeFileSync(path, new Uint8Array(piece), { flag: 'a' })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
    }
  }
  return () => rmSync(path)
}

const PRELOAD = new URL('./little-room.mjs', import.meta.url).href

/** A directory in which the program itself finds no more room than it is told, where the system mounts nothing. */
function pretendVolume(bytes: number): Volume {
  const folder = temporaryFolder()
  const directory = join(folder, 'data')
  mkdirSync(directory)
  const room = join(folder, 'room')
  const resize = (bytes: number) => writeFileSync(room, String(bytes))
  resize(bytes)
  return {
    directory,
    environment: { NODE_OPTIONS: `--import ${PRELOAD}`, ROOM_DIRECTORY: directory, ROOM_BYTES_FILE: room },
    resize,
    fill() {
      resize(0)
      return () => resize(bytes)
    },
  }
}

function canMount(): boolean {
  try {
    // In a name space of its own, which takes the mount with it.
    execFileSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** For titles of tests: what a full disk is here. */
export const [makeVolume, VOLUME] = canMount()
  ? ([mountVolume, 'a tmpfs'] as const)
  : ([pretendVolume, 'pretended, since nothing can be mounted here'] as const)
