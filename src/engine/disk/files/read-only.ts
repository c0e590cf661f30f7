import type { Files } from './files.js'

/** Returns the same files, which reject every change. */
export function readOnlyFiles({ list, bytesBelow, openToRead }: Files): Files {
  const refuse = (path: string) => Promise.reject(new TypeError(`The directory is open to be read: ${path}`))
  return {
    list,
    bytesBelow,
    openToRead,
    makeDirectory: refuse,
    openToWrite: refuse,
    rename: refuse,
    remove: refuse,
    syncDirectory: refuse,
  }
}
