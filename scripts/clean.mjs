/** Removes the files that builds have written to dist, so that files of renamed modules get into no package. */
import { rmSync } from 'node:fs'

rmSync(new URL('../dist', import.meta.url), { recursive: true, force: true })
