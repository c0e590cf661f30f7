import { RawJson, type Row, type Value } from '../../engine/engine.js'
import type { Format } from './format.js'

export const JSON_BEGIN = '{"result":['
const END = ']}'

function valueJson(value: Value): string {
  return value instanceof RawJson ? value.text : JSON.stringify(value)
}

/** Spells the rows of one answer, and their names, which they share, once. */
export function createRowJson(): (row: Row) => string {
  const spelt = new Map<string, string>()
  const nameJson = (name: string) => {
    const json = spelt.get(name) ?? `${JSON.stringify(name)}:`
    spelt.set(name, json)
    return json
  }
  return (row) => {
    let json = '{'
    for (const name of Object.keys(row)) {
      if (json !== '{') json += ','
      json += nameJson(name) + valueJson(row[name]!)
    }
    return `${json}}`
  }
}

/** `{"result":[row,…]}`. */
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
