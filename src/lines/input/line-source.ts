/** Where lines come from: files, decompressed, one after the other, or the standard input. */
export interface LineSource {
  /** The paths of files. Undefined means the standard input. */
  paths: readonly (string | undefined)[]
  /** The field that has the time. Undefined: the first of {@link TIME_FIELDS} in the first line that has one. */
  timeField: string | undefined
  /** Ends the input when aborted, as if no byte followed. */
  stop?: AbortSignal | undefined
}

/** The fields in which a line's time is looked for, in order of preference. */
export const TIME_FIELDS = ['timestamp', '@timestamp', 'time', 'ts', '_time', 'datetime'] as const
