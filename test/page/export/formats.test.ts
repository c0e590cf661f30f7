import { expect, test } from 'vitest'
import { parseExact, type Row } from '../../../src/page/api/api.js'
import { fileName } from '../../../src/page/export/file-name.js'
import { createWriter, type Format } from '../../../src/page/export/formats.js'

// Answers of the service are compared in test/http/formats/page-formats.test.ts.

// Node 20 has no raw JSON. test/page/sql.test.ts has such numbers in a browser.
if ('rawJSON' in JSON)
  test('rows that the page has parsed keep their digits', () => {
    const row = parseExact('{"a":"é","n":12345678901234567890,"d":1.50,"o":{"x":[1,null]},"u":null}') as Row
    const written = (format: Format) => {
      const writer = createWriter(format)
      return writer.rows([row]) + writer.end()
    }
    expect(written('ndjson')).toBe('{"a":"é","n":12345678901234567890,"d":1.50,"o":{"x":[1,null]},"u":null}\n')
    expect(written('csv')).toBe('a,n,d,o,u\r\né,12345678901234567890,1.50,"{""x"":[1,null]}",\r\n')
  })

test('names of files have safe characters only', () => {
  const bounds = { fromUs: Date.UTC(2026, 10, 20, 10) * 1_000, toUs: Date.UTC(2026, 10, 20, 11, 2, 3, 999) * 1_000 }
  expect(fileName('edge_logs', 'abc', bounds)).toBe('edge_logs_abc_20261120T100000Z_20261120T110203Z')
  expect(fileName('../a:b\\c', '.é / "x"\n.', { fromUs: 0, toUs: undefined })).toBe('a-b-c_x_19700101T000000Z')
  expect(fileName('', 'x'.repeat(200), bounds).length).toBeLessThan(120)
})
