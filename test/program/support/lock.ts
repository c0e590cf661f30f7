import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

const preload = (name: string) => ({ NODE_OPTIONS: `--import ${join(import.meta.dirname, name)}` })

/** The environment of a program on a mount of Docker Desktop. */
export const NO_SOCKETS = preload('no-unix-sockets.mjs')
/** The environment of a program that runs as a user who owns no file. */
export const AS_NOBODY = preload('as-nobody.mjs')

/** Makes a file whose open never returns, as on a network mount without its server. */
export const makeSilentFile = (path: string) => execFileSync('mkfifo', [path])
