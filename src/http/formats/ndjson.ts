import type { Format } from './format.js'
import { createRowJson } from './json.js'

/** One row object a line, each line ended by a line feed. */
export const ndjsonFormat: Format = {
  name: 'ndjson',
  encoder() {
    const rowJson = createRowJson()
    return {
      begin: '',
      row: (row) => `${onOneLine(rowJson(row))}\n`,
      end: () => '',
      endBytes: 0,
    }
  },
}

/** A raw JSON text may have line ends between its tokens; those within its strings are escaped. */
function onOneLine(json: string): string {
  return json.replace(/[\r\n]+/g, ' ')
}
