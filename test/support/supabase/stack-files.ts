import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

const FOLDER = join(import.meta.dirname, '../../fixtures/supabase')

/** Versions of Supabase's self-hosted stack, oldest first: test/fixtures/supabase/README.md describes each. */
export const STACK_VERSIONS = ['2025-before-february', '2026-spring', '2026-june', '2026-today'] as const
export type StackVersion = (typeof STACK_VERSIONS)[number]

/** Returns the configuration files of a version: their texts by their paths in Supabase's folder `docker`. */
export function stackFiles(version: StackVersion): Readonly<Record<string, string>> {
  const folder = join(FOLDER, version)
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    statSync(join(folder, path)).isFile(),
  )
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(folder, path), 'utf8')]))
}
