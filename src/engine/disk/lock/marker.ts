/** A file that shows other processes that a directory is locked. Its time is updated while it is. */
export interface Marker {
  path: string
  /**
   * Updates the time of the file if it is still this process's. Returns false if it was removed or is another's.
   * Rejects with the system's error.
   */
  touch(): Promise<boolean>
  /** Deletes the file if it is still this process's. */
  remove(): Promise<void>
  /** Does the same, synchronously, while the process exits. */
  removeAtExit(): void
}
