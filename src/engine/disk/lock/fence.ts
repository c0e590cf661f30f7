import type { Files, WritableFile } from '../files/files.js'

/** Returns files that await `confirm` before every change, and reject with its error. Reads do not wait. */
export function fenceFiles(files: Files, confirm: () => Promise<void>): Files {
  return {
    ...files,
    makeDirectory: (path) => confirm().then(() => files.makeDirectory(path)),
    openToWrite: async (path) => {
      await confirm()
      return fenceFile(await files.openToWrite(path), confirm)
    },
    rename: (from, to) => confirm().then(() => files.rename(from, to)),
    remove: (path) => confirm().then(() => files.remove(path)),
  }
}

function fenceFile(file: WritableFile, confirm: () => Promise<void>): WritableFile {
  return {
    writeAt: (position, pieces) => confirm().then(() => file.writeAt(position, pieces)),
    truncate: (bytes) => confirm().then(() => file.truncate(bytes)),
    sync: () => file.sync(),
    close: () => file.close(),
  }
}
