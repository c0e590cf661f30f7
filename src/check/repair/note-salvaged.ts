import type { Files } from '../../engine/disk/files/files.js'
import { readManifest, writeManifest } from '../../views/catalog/manifest.js'

/**
 * Notes for the views that a journal, by its marker in hexadecimal, has the intact rows of a segment, by its check. The
 * files of views that have the segment have the rows then. Does nothing without views.
 */
export async function noteSalvaged(files: Files, journal: string, check: string): Promise<void> {
  const manifest = await readManifest(files).catch((error) => {
    if (!(error instanceof SyntaxError)) throw error
  })
  if (manifest === undefined) return
  await writeManifest(files, { ...manifest, salvaged: { ...manifest.salvaged, [journal]: check } })
}
