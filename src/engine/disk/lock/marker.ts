/** A file in a directory that shows others that the directory is held; touched for as long as it is. */
export interface Marker {
  path: string
  /** Sets the time of the file if it is still this process's; false if it is gone or another's. Rejects with the system's error. */
  touch(): Promise<boolean>
  /** Removes the file if it is still this process's. */
  remove(): Promise<void>
  /** The same while the process exits. */
  removeAtExit(): void
}
