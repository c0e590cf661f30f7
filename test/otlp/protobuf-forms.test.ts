/**
 * Protobuf of older and newer versions of OTLP, with cut texts: each record is stored, rejected or refused, never
 * lost.
 */
import { type BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import { describe, expect, test } from 'vitest'
import { messageOf, put, writeRecord } from './encode.js'
import { outcomeOf } from './outcome.js'

type Write = (writer: BinaryWriter) => void

const { Varint, LengthDelimited } = WireType
/** Writes a field with the message of `write`. */
const field =
  (number: number, write: Write): Write =>
  (writer) =>
    void put(writer, number, write)
const record: Write = (writer) => writeRecord(writer, { body: 'x' })
const logRecords = field(2, record)
const scopeLogs = field(2, logRecords)
const outcomes = (write: Write) => outcomeOf(messageOf(write), 'protobuf')
const withRecord = (write: Write) => field(1, field(2, field(2, write)))
const LINE = '{"event_message":"x","metadata":{}}'
const text =
  (bytes: readonly number[]): Write =>
  (writer) =>
    void writer.bytes(Uint8Array.from(bytes))
const string = (number: number, bytes: readonly number[]): Write => {
  return (writer) => text(bytes)(writer.tag(number, LengthDelimited))
}
const all =
  (...writes: Write[]): Write =>
  (writer) => {
    for (const write of writes) write(writer)
  }

describe('protobuf', () => {
  const lib = field(1, string(1, [0x6c]))

  test.each<[string, Write, string[]]>([
    [
      'instrumentation_library_logs (1000)',
      field(1, field(1000, all(lib, logRecords))),
      [LINE.replace('}}', '"scope":{"name":"l"}}}')],
    ],
    [
      'both scope_logs and instrumentation_library_logs',
      field(1, all(field(1000, logRecords), field(2, all(lib, logRecords)))),
      [LINE, LINE.replace('}}', '"scope":{"name":"l"}}}')],
    ],
    ['the old name of a record (4)', withRecord(all(record, string(4, [0x6e]))), [LINE.replace('}}', '"name":"n"}}')]],
    [
      'an old name that is an attribute too',
      withRecord(
        all(field(6, all(string(1, [...Buffer.from('name')]), field(2, string(1, [0x61])))), string(4, [0x6e])),
      ),
      ['{"metadata":{"name":"a"}}'],
    ],
    ['an unknown field next to the records', field(1, all(scopeLogs, field(9, record))), [LINE]],
    ['nothing', () => {}, []],
    [
      'a resource and no records',
      field(
        1,
        field(1, () => {}),
      ),
      [],
    ],
    [
      'a record in place of the request',
      record,
      ['refused: ExportLogsServiceRequest has no field 1 (resource_logs), but field 5'],
    ],
    [
      'records in place of resource_logs',
      field(1, record),
      ['refused: ResourceLogs has no field 2 (scope_logs), but field 5'],
    ],
    [
      'records in place of scope_logs',
      field(1, field(2, record)),
      ['refused: ScopeLogs has no field 2 (log_records), but field 5'],
    ],
    [
      'a number in an unknown field alone',
      (writer) => void writer.tag(9, Varint).uint32(1),
      ['refused: ExportLogsServiceRequest has no field 1 (resource_logs), but field 9'],
    ],
    [
      'a value of an unknown kind',
      withRecord(field(5, (writer) => void writer.tag(8, Varint).uint32(1))),
      ['rejected: a value is of the unknown kind 8'],
    ],
  ])('with %s', (_, write, outcome) => {
    expect(outcomes(write)).toEqual(outcome)
  })

  test.each([
    ['a short text', [0x61, 0xf0, 0x9f, 0x98]],
    ['a text of half a surrogate pair', [0x61, 0xed, 0xa0, 0xbd]],
    ['a long text', [...Buffer.from('a'.repeat(200)), 0xf0, 0x9f, 0x98]],
  ])('with %s cut inside an emoji has U+FFFD there', (_, bytes) => {
    const cut = string(1, bytes)
    const [line] = outcomes(withRecord(all(field(5, cut), string(3, bytes), field(6, all(cut, field(2, cut))))))
    const [, a, marks] = /^(a+)(\ufffd+)$/.exec(JSON.parse(line!).event_message)!
    const stored = `${a}${marks}`
    expect(JSON.parse(line!)).toEqual({ event_message: stored, metadata: { [stored]: stored, severity_text: stored } })
  })
})
