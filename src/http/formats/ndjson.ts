import type { Format } from './format.js'
import { createRowJson } from './json.js'

/** A row object per line, each ended by a line feed. Without rows, the answer is empty. */
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

/** Raw JSON may contain line ends between tokens. Line ends in strings are escaped. */
function onOneLine(json: string): string {
  return json.replace(/[\r\n]+/g, ' ')
}
