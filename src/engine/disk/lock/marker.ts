/** A file that shows other processes that a directory is locked. The holder updates the time of the file. */
export interface Marker {
  path: string
  /**
   * Updates the time of the file if this process still owns the file. Returns false if the file was removed or belongs
   * to another process. Rejects with the system's error.
   */
  touch(): Promise<boolean>
  /** Deletes the file if this process still owns the file. */
  remove(): Promise<void>
  /** Does the same, synchronously, while the process exits. */
  removeAtExit(): void
}
