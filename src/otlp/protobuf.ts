/**
 * Reads protobuf by tables of field numbers, on top of the wire reader of @bufbuild/protobuf. Knows no message of
 * OTLP.
 */
import { type BinaryReader, WireType } from '@bufbuild/protobuf/wire'
import { MalformedError } from './request.js'
import { StrictReader } from './strict-reader.js'

/** A field of a message that is read into a `T`. */
export interface Field<T> {
  wire: WireType
  /** Reads the value into the message. Values in the message are `depth` levels deep. */
  read(into: T, reader: BinaryReader, depth: number): void
}

/** A type of message, read into a `T`. */
export interface MessageType<T> {
  name: string
  /** By field number. */
  fields: ReadonlyMap<number, Field<T>>
  /** Called before an unknown field is skipped. */
  onUnknown(into: T, number: number): void
}

/** Creates a type of message from fields by number. By default unknown fields are skipped. */
export function messageType<T>(
  name: string,
  fields: Record<number, Field<T>>,
  onUnknown: MessageType<T>['onUnknown'] = () => {},
): MessageType<T> {
  return { name, fields: new Map(Object.entries(fields).map(([number, field]) => [Number(number), field])), onUnknown }
}

/** Creates a field of bytes: a text, bytes or a message. */
export const delimited = <T>(read: Field<T>['read']): Field<T> => ({ wire: WireType.LengthDelimited, read })

/**
 * Creates a field that is a message. `open` returns the object that the fields are read into. `close` is called after
 * the last field. `inner` is a function because types may be recursive.
 */
export function nested<T, U>(
  inner: () => MessageType<U>,
  open: (into: T) => U,
  close?: (into: T, made: U) => void,
): Field<T> {
  return delimited((into, reader, depth) => {
    const made = open(into)
    readNested(made, inner(), reader, depth)
    close?.(into, made)
  })
}

/** Reads a length and a message of that length. Throws {@link MalformedError} if the last field ends elsewhere. */
export function readNested<T>(into: T, type: MessageType<T>, reader: BinaryReader, depth: number): void {
  readFields(into, type, reader, endOfValue(reader), depth)
}

/** Reads a length and returns the position at which the value ends. */
function endOfValue(reader: BinaryReader): number {
  const length = reader.uint32()
  if (reader.pos + length > reader.len) throw new MalformedError('a length goes beyond the end')
  return reader.pos + length
}

function readFields<T>(into: T, type: MessageType<T>, reader: BinaryReader, end: number, depth: number): void {
  while (reader.pos < end) readField(into, type, reader, depth)
  if (reader.pos > end) throw new MalformedError(`${type.name} does not end where it should`)
}

function readField<T>(into: T, { name, fields, onUnknown }: MessageType<T>, reader: BinaryReader, depth: number): void {
  const [number, wire] = reader.tag()
  const field = fields.get(number)
  if (field === undefined) {
    onUnknown(into, number)
    reader.skip(wire, number)
  } else if (field.wire === wire) field.read(into, reader, depth)
  else throw new MalformedError(`field ${number} of ${name} has the wire type ${wire} in place of ${field.wire}`)
}

/** Reads all bytes as a message and returns `into`. Throws {@link MalformedError} if the message is not valid. */
export function readMessage<T>(into: T, type: MessageType<T>, bytes: Uint8Array): T {
  const reader = new StrictReader(bytes)
  return withMalformedError(type.name, () => {
    readFields(into, type, reader, reader.len, 0)
    return into
  })
}

/** Runs `read`, and converts the errors of the wire reader, such as a premature end, to {@link MalformedError}. */
function withMalformedError<T>(name: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof MalformedError) throw error
    throw new MalformedError(`${name} cannot be read: ${(error as Error).message}`)
  }
}

/** Reads a text. Invalid UTF-8, such as a character that was cut in two, becomes U+FFFD. */
export const readText = (reader: BinaryReader) => reader.string()

/** Reads bytes and returns the bytes in lower-case hexadecimal. */
export const readHex = (reader: BinaryReader) => Buffer.from(reader.bytes()).toString('hex')

/** State of {@link readElements}. */
interface Element {
  /** The element that was read last. Null if the last field is not an element of the list. */
  bytes: Uint8Array | null
  /** The first unknown field of the message so far. */
  unknown?: number
}

/** A message of which only a single list is read. */
export interface ListType {
  /** Field number and name of the list, for error messages. */
  list: string
  type: MessageType<Element>
}

const ELEMENT = delimited<Element>((element, reader) => void (element.bytes = reader.bytes()))
const SKIPPED = delimited<Element>((_, reader) => void reader.bytes())

/**
 * Creates a {@link ListType}. `numbers` are the field numbers under which the list may be sent, the current number
 * first. `others` are known fields, which are skipped.
 */
export function listType(
  name: string,
  list: string,
  numbers: readonly number[],
  others: readonly number[] = [],
): ListType {
  const fields = [...numbers.map((number) => [number, ELEMENT]), ...others.map((number) => [number, SKIPPED])]
  const noteUnknown: MessageType<Element>['onUnknown'] = (element, number) => void (element.unknown ??= number)
  return { list: `${numbers[0]} (${list})`, type: messageType(name, Object.fromEntries(fields), noteUnknown) }
}

/**
 * Yields the bytes of each element of the list. Throws {@link MalformedError} if the message is not valid, or if the
 * message has no element but an unknown field, which may be the list in another version.
 */
export function* readElements(bytes: Uint8Array, { list, type }: ListType): Generator<Uint8Array, void> {
  const reader = new StrictReader(bytes)
  const element: Element = { bytes: null }
  const readNext = () => readField(element, type, reader, 0)
  let isEmpty = true
  while (reader.pos < reader.len) {
    element.bytes = null
    withMalformedError(type.name, readNext)
    if (element.bytes === null) continue
    isEmpty = false
    yield element.bytes
  }
  if (isEmpty && element.unknown !== undefined) {
    throw new MalformedError(`${type.name} has no field ${list}, but field ${element.unknown}`)
  }
}
