/** Parses NDJSON. */
export const parsedRows = (ndjson: string): unknown[] =>
  ndjson
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
