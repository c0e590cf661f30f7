/** Protobuf with lengths and varints that are too large. No record is stored as if the numbers were smaller. */
import { describe, expect, it } from 'vitest'
import { outcomeOf } from './outcome.js'

/** Encodes a varint, of at least `minBytes`. */
function varint(value: bigint, minBytes = 1): Buffer {
  const bytes: number[] = []
  for (let rest = value; rest > 0n || bytes.length < minBytes; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80)
  bytes.push(bytes.pop()! & 0x7f)
  return Buffer.from(bytes)
}

type Length = (bytes: number) => Buffer
const exact: Length = (bytes) => varint(BigInt(bytes))

/** Encodes a length-delimited field. */
const field = (number: number, content: Buffer | string, length = exact) =>
  Buffer.concat([varint(BigInt(number * 8 + 2)), length(Buffer.from(content).length), Buffer.from(content)])

/** The field numbers from the request to a length-delimited field. */
const PATHS = {
  'a resource_logs': [1],
  'a resource': [1, 1],
  'an attribute of a resource': [1, 1, 1],
  'a key of a resource': [1, 1, 1, 1],
  'a value of a resource': [1, 1, 1, 2],
  'a schema URL': [1, 3],
  'a scope_logs': [1, 2],
  'an old scope_logs': [1, 1000],
  'a scope': [1, 2, 1],
  'a name of a scope': [1, 2, 1, 1],
  'an attribute of a scope': [1, 2, 1, 3],
  'a log record': [1, 2, 2],
  'a severity text': [1, 2, 2, 3],
  'an old name': [1, 2, 2, 4],
  'a body': [1, 2, 2, 5],
  'a text': [1, 2, 2, 5, 1],
  'a list': [1, 2, 2, 5, 5],
  'a value of a list': [1, 2, 2, 5, 5, 1],
  'a map': [1, 2, 2, 5, 6],
  'an entry of a map': [1, 2, 2, 5, 6, 1],
  bytes: [1, 2, 2, 5, 7],
  'an attribute of a record': [1, 2, 2, 6],
  'a trace id': [1, 2, 2, 9],
  'a span id': [1, 2, 2, 10],
  'an event name': [1, 2, 2, 12],
  'an unknown field of a request': [15],
  'an unknown field of a resource': [1, 1, 15],
  'an unknown field of a scope': [1, 2, 1, 15],
  'an unknown field of a record': [1, 2, 2, 15],
}
const RECORD = field(1, field(2, field(2, field(5, field(1, 'good')))))
const LINE = '{"event_message":"good","metadata":{}}'

/** Returns a request with a good record, and with `last` at the end of the path. */
function requestWith(path: readonly number[], last: Buffer): Buffer {
  return Buffer.concat([RECORD, path.slice(0, -1).reduceRight((inner, number) => field(number, inner), last)])
}

/** A fault in a record rejects the record, a fault around the records refuses the request. */
const faultIn = (path: readonly number[], fault: RegExp) =>
  path[0] === 1 && path[1] === 2 && path[2] === 2 && path.length > 3
    ? [LINE, expect.stringMatching(new RegExp(`^rejected: .*${fault.source}`))]
    : [expect.stringMatching(new RegExp(`^refused: .*${fault.source}`))]

describe.each(Object.entries(PATHS))('in protobuf the length of %s', (_, path) => {
  const number = path.at(-1)!

  it.each([
    ['has 32 bits more than it should', (bytes: number) => varint(2n ** 32n + BigInt(bytes))],
    ['has 35 bits', (bytes: number) => varint(2n ** 34n + BigInt(bytes))],
    ['is 2^63', () => varint(2n ** 63n)],
    ['exceeds 64 bits', (bytes: number) => varint(2n ** 64n + BigInt(bytes))],
    ['has 11 bytes', (bytes: number) => varint(BigInt(bytes), 11)],
  ])('is not cut if it %s', (_, length: Length) => {
    const request = requestWith(path, field(number, '', length))
    expect(outcomeOf(request, 'protobuf')).toEqual(faultIn(path, /(?:exceeds 32 bits|over 10 bytes)/))
  })

  it('may go to the end, not beyond, and have more bytes than it needs', () => {
    const plain = outcomeOf(requestWith(path, field(number, '')), 'protobuf')
    expect(plain[0]).toBe(LINE)
    for (const size of [2, 5, 10])
      expect(
        outcomeOf(
          requestWith(
            path,
            field(number, '', (bytes) => varint(BigInt(bytes), size)),
          ),
          'protobuf',
        ),
      ).toEqual(plain)
    const beyond = outcomeOf(
      requestWith(
        path,
        field(number, '', () => varint(1n)),
      ),
      'protobuf',
    )
    expect(beyond).toEqual(faultIn(path, /(?:premature EOF|beyond the end|does not end)/))
  })
})

describe('in protobuf a varint', () => {
  const tag = (number: number) => varint(BigInt(number * 8))
  const places: [string, readonly number[], number][] = [
    ['a severity number', [1, 2, 2], 2],
    ['a bool', [1, 2, 2, 5], 2],
    ['an integer', [1, 2, 2, 5], 3],
    ['an unknown field of a record', [1, 2, 2], 20],
    ['an unknown field of a scope', [1, 2, 1], 20],
    ['an unknown field of a request', [], 20],
  ]

  it.each(places)('of over 10 bytes is refused: %s', (_, path, number) => {
    const value = (bytes: number) => requestWith([...path, 0], Buffer.concat([tag(number), varint(1n, bytes)]))
    expect(outcomeOf(value(10), 'protobuf')[0]).toBe(LINE)
    for (const bytes of [11, 100])
      expect(outcomeOf(value(bytes), 'protobuf')).toEqual(faultIn([...path, 0], /(?:over 10 bytes|invalid varint)/))
  })

  it('as a tag has 32 bits at most', () => {
    const long = Buffer.concat([varint(2n ** 32n + 8n * 20n), varint(1n)])
    expect(outcomeOf(requestWith([0], long), 'protobuf')).toEqual(faultIn([], /exceeds 32 bits/))
  })

  it('as a negative severity number has 64 bits', () => {
    const negative = requestWith([1, 2, 2, 0], Buffer.concat([tag(2), varint(2n ** 64n - 5n)]))
    expect(outcomeOf(negative, 'protobuf')).toEqual([LINE, '{"metadata":{"severity_number":-5}}'])
  })
})
