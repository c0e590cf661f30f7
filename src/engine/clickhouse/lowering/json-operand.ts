import { integer, type Scalar } from '../../../plan/values/values.js'
import type { Cell } from '../server/clickhouse-server.js'
import { textValue } from '../server/values.js'

/** A field without a column, read from the metadata by the server's JSON functions. */
export interface JsonOperand {
  type: 'json'
  /** The type of the value, as named by `JSONType`: `Null` if the value is absent. */
  kind: string
  /** The text of the value: a text, or the digits of an integer as sent. */
  text: string
  /** The value as a text, after a letter for the type. Null if the value is absent. See {@link readTagged}. */
  tagged: string
  /**
   * The condition, 1 or 0, that the server's functions do not read the value as ingest does: a list on the way, a key
   * that occurs twice, a number that is no integer, a list, an object, or JSON that the server refuses.
   */
  isOdd: string
}

/** Returns the field at a path. */
export function jsonOperand(keys: readonly string[]): JsonOperand {
  const names = keys.map(textValue)
  const at = (length: number) => ['metadata', ...names.slice(0, length)].join(', ')
  const whole = at(names.length)
  const kind = `toString(JSONType(${whole}))`
  const text = `if(${kind} = 'String', JSONExtractString(${whole}), JSONExtractRaw(${whole}))`
  const odd = names.flatMap((name, i) => [
    `JSONType(${at(i)}) = 'Array'`,
    `countEqual(JSONExtractKeys(${at(i)}), ${name}) > 1`,
  ])
  return {
    type: 'json',
    kind,
    text,
    tagged: `if(${kind} = 'Null', NULL, concat(substring(${kind}, 1, 1), ${text}))`,
    // JSON that simdjson refuses has an absent value. `-0` is read as 0.
    isOdd: `(${[
      'NOT isValidJSON(metadata)',
      ...odd,
      `${kind} IN ('Array', 'Object', 'Double', 'UInt64')`,
      `(${kind} = 'Int64' AND JSONExtractInt(${whole}) = 0)`,
    ].join(' OR ')})`,
  }
}

/** Reads a value of {@link JsonOperand.tagged}. */
export function readTagged(cell: Cell): Scalar {
  if (cell === null) return null
  const text = String(cell)
  const value = text.slice(1)
  switch (text[0]) {
    case 'S':
      return value
    case 'B':
      return value === 'true'
    default:
      return integer(BigInt(value))!
  }
}
