import type { Row, Value } from '../../plan/answer.js'
import { RawJson } from '../../plan/values/values.js'
import type { Format } from './format.js'

/** The text before the first row. */
export const JSON_BEGIN = '{"result":['
const END = ']}'

/** Returns a value as JSON. */
export function valueJson(value: Value): string {
  return value instanceof RawJson ? value.text : JSON.stringify(value)
}

/** Returns an encoder of single rows. Each name is encoded once, because all rows of an answer share the names. */
export function createRowJson(): (row: Row) => string {
  const namesJson = new Map<string, string>()
  const nameJson = (name: string) => {
    const json = namesJson.get(name) ?? `${JSON.stringify(name)}:`
    namesJson.set(name, json)
    return json
  }
  return (row) => {
    let json = '{'
    for (const name of Object.keys(row)) {
      if (json !== '{') json += ','
      json += nameJson(name) + valueJson(row[name])
    }
    return `${json}}`
  }
}

/** `{"result":[row,…]}`, with raw JSON values as stored. Without rows: `{"result":[]}`. */
export const jsonFormat: Format = {
  name: 'json',
  encoder() {
    const rowJson = createRowJson()
    let isFirst = true
    return {
      begin: JSON_BEGIN,
      row(row) {
        const json = rowJson(row)
        if (!isFirst) return `,${json}`
        isFirst = false
        return json
      },
      end: () => END,
      endBytes: END.length,
    }
  },
}
