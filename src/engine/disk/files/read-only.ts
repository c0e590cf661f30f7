import type { Files } from './files.js'

/** Returns the same files, which reject every change. */
export function readOnlyFiles({ list, openToRead }: Files): Files {
  const refuse = (path: string) => Promise.reject(new TypeError(`The directory is open to be read: ${path}`))
  return {
    list,
    openToRead,
    makeDirectory: refuse,
    openToWrite: refuse,
    rename: refuse,
    remove: refuse,
    syncDirectory: refuse,
  }
}
