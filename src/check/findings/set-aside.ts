import { isSourceName } from '../../common/own-source-names.js'
import type { SourceName } from '../../common/sources.js'
import type { Files } from '../../engine/disk/files/files.js'
import { SEGMENTS } from '../../engine/store/files/file-names.js'

/** The directory of everything that repairs set aside: `damaged/<time>/<path below the data directory>`. */
export const DAMAGED = 'damaged'

/** The file with the intact rows of a damaged segment, which a repair writes into the segment's directory. */
export const SALVAGE_FILE = 'salvaged.log'

/** Lists the files of intact rows in segments that were set aside, with the source of each. */
export async function salvageFiles(files: Files): Promise<{ path: string; source: SourceName }[]> {
  const found: { path: string; source: SourceName }[] = []
  for (const time of await files.list(DAMAGED)) {
    const sources = (await files.list(`${DAMAGED}/${time}/${SEGMENTS}`)).filter(isSourceName)
    for (const source of sources) {
      const directory = `${DAMAGED}/${time}/${SEGMENTS}/${source}`
      for (const day of await files.list(directory)) {
        for (const name of await files.list(`${directory}/${day}`)) {
          const path = `${directory}/${day}/${name}/${SALVAGE_FILE}`
          if ((await files.list(`${directory}/${day}/${name}`)).includes(SALVAGE_FILE)) found.push({ path, source })
        }
      }
    }
  }
  return found.sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** Counts the files below a directory, and their bytes. */
export async function sizeOf(files: Files, path: string): Promise<{ count: number; bytes: number }> {
  const names = await files.list(path)
  if (names.length === 0) return sizeOfFile(files, path)
  const total = { count: 0, bytes: 0 }
  for (const name of names) {
    const { count, bytes } = await sizeOf(files, `${path}/${name}`)
    total.count += count
    total.bytes += bytes
  }
  return total
}

/** Returns zeros for an empty directory: an empty directory can be opened, but not read. */
async function sizeOfFile(files: Files, path: string): Promise<{ count: number; bytes: number }> {
  const file = await files.openToRead(path).catch(() => undefined)
  const isFile = await file?.readAt(0, Buffer.alloc(1)).then(
    () => true,
    () => false,
  )
  await file?.close()
  return file !== undefined && isFile ? { count: 1, bytes: file.bytes } : { count: 0, bytes: 0 }
}
