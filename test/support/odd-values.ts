import { hotColumns } from '../../src/common/columns.js'
import type { SourceName } from '../../src/common/sources.js'

/** JSON values as the value of any hot column: right values, and each kind of value that a column cannot hold. */
const ODD_VALUES = [
  '"GET"',
  '"\\u00e9\\n"',
  '"\\ud800"',
  '""',
  '"200"',
  '200',
  '-0',
  '1.0',
  '1.5e3',
  '1e400',
  '999999999999999',
  '-9999999999999999',
  '1000000000000000',
  '12345678901234567890',
  '1234567890123456.5',
  '1e20',
  'true',
  'false',
  'null',
  '{}',
  '{"a":1}',
  '[]',
  '["GET"]',
  '[{"a":1}]',
  '[[1]]',
]

/** Returns the JSON object with a single value at a path. */
const objectWith = (path: readonly string[], json: string): string =>
  path.reduceRight((value, key) => `{${JSON.stringify(key)}:${value}}`, json)

/** Returns the same with each object below the first in a list, followed by another element. */
const listsWith = (path: readonly string[], json: string): string =>
  path.reduceRight((value, key, i) => {
    const object = `{${JSON.stringify(key)}:${value}}`
    return i === 0 ? object : `[${object},{"other":1}]`
  }, json)

/**
 * Returns records of a source as lines: each hot column with each odd value, in objects, in lists, as other fields of
 * the record, and with equal keys.
 */
export function oddLines(source: SourceName): string[] {
  const start = `{"source":"${source}"`
  return hotColumns(source).flatMap(({ path }) =>
    ODD_VALUES.flatMap((json) => {
      const one = objectWith(path, json)
      const members = one.slice(1, -1)
      const isHidden = objectWith(path.slice(0, 1), 'null')
      return [
        `${start},"metadata":${one}}`,
        `${start},"metadata":[${listsWith(path, json)},${one}]}`,
        `${start},"metadata":[{"nested":[${one}]}]}`,
        `${start},${members}}`,
        `${start},"metadata":{"z":1},${members}}`,
        `${start},${members},"metadata":${isHidden}}`,
        `${start},"metadata":{${objectWith(path, '"first"').slice(1, -1)},${members}}}`,
        `${start},"metadata":{${members},${objectWith(path.slice(0, 1), '{}').slice(1, -1)}}}`,
        `${start},${objectWith(path, '7').slice(1, -1)},${members}}`,
      ]
    }),
  )
}

/** Returns metadata of records of a source: none, and each hot column with each odd value, in objects and in lists. */
export function oddMetadata(source: SourceName): string[] {
  const odd = hotColumns(source).flatMap(({ path }) =>
    ODD_VALUES.flatMap((json) => [objectWith(path, json), listsWith(path, json)]),
  )
  return ['{}', ...odd]
}
