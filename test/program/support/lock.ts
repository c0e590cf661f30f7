import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

const preload = (name: string) => ({ NODE_OPTIONS: `--import ${join(import.meta.dirname, name)}` })

/** The environment of a program on a mount of Docker Desktop. */
export const NO_SOCKETS = preload('no-unix-sockets.mjs')
/** The environment of a program that gives up the rights of root. */
export const AS_NOBODY = preload('as-nobody.mjs')

/** Makes a file that blocks forever on open, as on a network mount without a server. */
export const makeSilentFile = (path: string) => execFileSync('mkfifo', [path])
