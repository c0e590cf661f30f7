import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { temporaryFolder } from './program.js'

/** A data directory with limited room. */
interface Volume {
  directory: string
  /** Variables that a program needs to use the volume. */
  environment: Record<string, string>
  resize(bytes: number): void
  /** Occupies all free room. The returned function frees the room. */
  fill(): () => void
}

/** Mounts a file system in memory, which is unmounted when the test ends. */
function mountVolume(bytes: number): Volume {
  const folder = temporaryFolder()
  const mount = (...options: string[]) => execFileSync('mount', [...options, folder], { stdio: 'pipe' })
  mount('-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs')
  // Lazily, so that unmounting works even if the program is still running.
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

/** Simulates the limit in the program itself, if nothing can be mounted here. */
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
    // In a mount namespace, which removes the mount when the namespace ends.
    execFileSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** VOLUME is for titles of tests: the kind of volume on this machine. */
export const [makeVolume, VOLUME] = canMount()
  ? ([mountVolume, 'a tmpfs'] as const)
  : ([pretendVolume, 'pretended, since nothing can be mounted here'] as const)
