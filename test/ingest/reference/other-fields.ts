import type { FieldNames } from '../../../src/field-names.js'

/** A member of a JSON object: its key, and as they are spelled its value and both together. Texts are Latin-1, a character a byte. */
interface Member {
  key: string
  value: string
  text: string
}

/** The members of the valid JSON object `text`, in order, equal keys included. */
export function membersOf(text: string): Member[] {
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

/** The member of a record that is read as time or message: the first of these names that is there and not null. */
export function chosenOf(members: readonly Member[], names: readonly string[]): string | undefined {
  return names.find((name) => (lastOf(members, name)?.value ?? 'null') !== 'null')
}

const lastOf = (members: readonly Member[], key: string): Member | undefined =>
  members.findLast((member) => member.key === key)

/** The metadata that the record `text` is stored with, as text; `isSourceOther` if its source names none of the nine. */
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

/** Where the first object of an array begins and ends; undefined if the array is empty. */
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
  const own = membersOf(object)
  const added = others.filter(({ key }) => lastOf(own, key) === undefined).map((other) => other.text)
  const head = object.slice(0, -1)
  return `${head}${own.length > 0 && added.length > 0 ? ',' : ''}${added.join(',')}}`
}

/** The last of equal ones, where it stands. */
function othersOf(members: readonly Member[], { time, message }: FieldNames, isSourceOther: boolean): Member[] {
  const read = new Set(['id', 'project', 'metadata', chosenOf(members, time), chosenOf(members, message)])
  const nullIsAbsent = new Set(['source', ...time, ...message])
  if (!isSourceOther) read.add('source')
  return members.filter((member) => {
    if (read.has(member.key) || lastOf(members, member.key) !== member) return false
    return member.value !== 'null' || !nullIsAbsent.has(member.key)
  })
}
