import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

const preload = (name: string) => ({ NODE_OPTIONS: `--import ${join(import.meta.dirname, name)}` })

/** The environment of a program on a mount of Docker Desktop. */
export const NO_SOCKETS = preload('no-unix-sockets.mjs')
/** Of one that runs as a user to whom no file belongs. */
export const AS_NOBODY = preload('as-nobody.mjs')

/** A file that never answers whoever opens it, as those of a mount whose server has gone. */
export const makeSilentFile = (path: string) => execFileSync('mkfifo', [path])
