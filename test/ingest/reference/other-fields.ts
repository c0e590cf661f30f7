import type { FieldNames } from '../../../src/common/field-names.js'

/** A member of a JSON object. Value and text are Latin-1, a character per byte. */
interface Member {
  /** The key, decoded. */
  key: string
  /** The value as spelled. */
  value: string
  /** The whole member as spelled. */
  text: string
}

/** Returns the members of the valid JSON object `text`, in order, equal keys included. */
function membersOf(text: string): Member[] {
  const members: Member[] = []
  let [depth, start] = [0, text.indexOf('{') + 1]
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],]/gs)) {
    if (token === '{' || token === '[') depth++
    if ((token === ',' && depth === 1) || (token === '}' && depth === 1)) {
      const member = trim(text.slice(start, index))
      if (member !== '') members.push(memberOf(member))
      start = index + 1
    }
    if (token === '}' || token === ']') depth--
  }
  return members
}

function memberOf(text: string): Member {
  const key = /^"(?:[^"\\]|\\.)*"/s.exec(text)![0]
  const value = trim(text.slice(key.length)).slice(1)
  return { key: JSON.parse(Buffer.from(key, 'latin1').toString()), value: trim(value), text }
}

const trim = (text: string): string => text.replace(/^[ \t\r]+|[ \t\r]+$/g, '')

/** Returns the first of the names that a record has with a value other than null: the field read as time or message. */
function chosenOf(members: readonly Member[], names: readonly string[]): string | undefined {
  return names.find((name) => (lastOf(members, name)?.value ?? 'null') !== 'null')
}

const lastOf = (members: readonly Member[], key: string): Member | undefined =>
  members.findLast((member) => member.key === key)

/** Returns the stored metadata of the record `text`. `isSourceOther`: the text in `source` is not
 * the name of the record's source. */
export function mergedMetadata(text: string, names: FieldNames, isSourceOther: boolean): string {
  const members = membersOf(text)
  const sent = lastOf(members, 'metadata')?.value ?? 'null'
  const metadata = sent === 'null' ? '{}' : sent
  const others = othersOf(members, names, isSourceOther)
  const isArray = metadata.startsWith('[')
  const objects = isArray ? elementsEnd(metadata) : undefined
  if (isArray && objects === undefined) return others.length === 0 ? metadata : `[${mergedInto('{}', others)}]`
  const [from, to] = objects ?? [0, metadata.length]
  return metadata.slice(0, from) + mergedInto(metadata.slice(from, to), others) + metadata.slice(to)
}

/** Returns start and end of the first object of an array. Undefined if the array is empty. */
function elementsEnd(array: string): [number, number] | undefined {
  let depth = 0
  let start = 0
  for (const { 0: token, index } of array.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]]/gs)) {
    if (token === '{' && depth === 1) start = index
    if (token === '{' || token === '[') depth++
    if (token === '}' || token === ']') depth--
    if (token === '}' && depth === 1) return [start, index + 1]
  }
  return undefined
}

function mergedInto(object: string, others: readonly Member[]): string {
  const members = membersOf(object)
  const added = others.filter(({ key }) => lastOf(members, key) === undefined).map((other) => other.text)
  const head = object.slice(0, -1)
  return `${head}${members.length > 0 && added.length > 0 ? ',' : ''}${added.join(',')}}`
}

/** Returns the members that are merged into the metadata, in order. The last of equal keys wins. */
function othersOf(members: readonly Member[], { time, message }: FieldNames, isSourceOther: boolean): Member[] {
  const read = new Set(['id', 'project', 'metadata', chosenOf(members, time), chosenOf(members, message)])
  const nullIsAbsent = new Set(['source', ...time, ...message])
  if (!isSourceOther) read.add('source')
  return members.filter((member) => {
    if (read.has(member.key) || lastOf(members, member.key) !== member) return false
    return member.value !== 'null' || !nullIsAbsent.has(member.key)
  })
}
