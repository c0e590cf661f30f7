import { type Files, writeFile } from '../../engine/disk/files/files.js'
import { MANIFEST, NEW_MANIFEST, VIEWS } from './file-names.js'

/** A view, or an old version of a view, that has or may get files. */
export interface ManifestView {
  /** `edge.requests`, or `edge.requests@2026-11-28` for its grouping until that day. */
  name: string
  identity: string
  keepUs: number
  /** The SQL, from which an old version is read. */
  text: string
  /**
   * Checks of the segments that a view still gets since it has no file any more: those that were in none of its files
   * then. Absent while the view gets all rows.
   */
  rest?: readonly string[]
}

/** The views of a data directory and their files. */
export interface Manifest {
  /** Files have lower numbers, or were written by a process that has not ended in order. */
  numberLimit: number
  /** Numbers of files that contain segments which were dropped, or may be at any time. */
  released: readonly number[]
  /**
   * Repairs of damaged segments: the check of each segment, by the marker of the journal that has its intact rows, in
   * hexadecimal.
   */
  salvaged?: Readonly<Record<string, string>>
  views: readonly ManifestView[]
}

const FORMAT = { format: 'logweir views', version: 1 }

/** The manifest of a new data directory. */
export const EMPTY_MANIFEST: Manifest = { numberLimit: 1, released: [], views: [] }

/** Reads the manifest. Undefined if there is none. Throws a SyntaxError if the manifest is damaged. */
export async function readManifest(files: Files): Promise<Manifest | undefined> {
  if (!(await files.list(VIEWS)).includes(MANIFEST.slice(VIEWS.length + 1))) return undefined
  const file = await files.openToRead(MANIFEST)
  try {
    const bytes = Buffer.alloc(file.bytes)
    const filled = await file.readAt(0, bytes)
    const { format, version, ...manifest } = JSON.parse(bytes.toString('utf8', 0, filled))
    if (format !== FORMAT.format || version !== FORMAT.version) throw new SyntaxError('It is no list of views.')
    return manifest
  } finally {
    await file.close()
  }
}

/** Replaces the manifest. Once the promise resolves, the manifest survives a power cut. */
export async function writeManifest(files: Files, manifest: Manifest): Promise<void> {
  await files.makeDirectory(VIEWS)
  await files.syncDirectory('')
  await writeFile(files, NEW_MANIFEST, [Buffer.from(`${JSON.stringify({ ...FORMAT, ...manifest })}\n`)])
  await files.rename(NEW_MANIFEST, MANIFEST)
  await files.syncDirectory(VIEWS)
}
