import type { Files, ReadableFile } from '../../src/engine/disk/files/files.js'
import { below, oneOf, type Random } from '../support/random.js'
import type { Contents } from './sample.js'

/** A change of a directory that some error of a disk, a file system or a person makes. */
export interface Damage {
  name: string
  /** Whether the documents say that the damage cannot be told from intact data. */
  isDocumented?: boolean
  contents: Contents
  /** Files of which the disk cannot read some bytes. */
  unreadable?: { path: string; from: number; to: number }
}

type Make = (contents: Contents, random: Random) => Damage

const isOfRows = (path: string) => path.startsWith('journal/') || path.startsWith('segments/')
const pickFile = (contents: Contents, random: Random, isWanted = isOfRows) =>
  oneOf(random, [...contents.keys()].filter(isWanted))
const withFile = (contents: Contents, path: string, bytes: Buffer) => new Map(contents).set(path, bytes)

function without(contents: Contents, isGone: (path: string) => boolean): Contents {
  return new Map([...contents].filter(([path]) => !isGone(path)))
}

const flip: Make = (contents, random) => {
  const path = pickFile(contents, random)
  const bytes = Buffer.from(contents.get(path)!)
  const bit = below(random, bytes.length * 8)
  bytes[bit >> 3]! ^= 1 << (bit & 7)
  return { name: `bit ${bit} of ${path} flipped`, contents: withFile(contents, path, bytes) }
}

const zero: Make = (contents, random) => {
  const path = pickFile(contents, random)
  const bytes = Buffer.from(contents.get(path)!)
  const from = below(random, bytes.length)
  const to = Math.min(bytes.length, from + oneOf(random, [8, 512, 4096, 40_000]))
  return {
    name: `${path} zeroed from ${from} to ${to}`,
    contents: withFile(contents, path, bytes.fill(0, from, to)),
  }
}

const garble: Make = (contents, random) => {
  const path = pickFile(contents, random)
  const bytes = Buffer.from(contents.get(path)!)
  const from = below(random, bytes.length)
  const to = Math.min(bytes.length, from + 1 + below(random, 3000))
  for (let at = from; at < to; at++) bytes[at] = below(random, 256)
  return { name: `${path} garbled from ${from} to ${to}`, contents: withFile(contents, path, bytes) }
}

const cut: Make = (contents, random) => {
  const path = pickFile(contents, random)
  const bytes = contents.get(path)!
  const to = below(random, bytes.length)
  const isDocumented = path.startsWith('journal/')
  return { name: `${path} cut at ${to}`, isDocumented, contents: withFile(contents, path, bytes.subarray(0, to)) }
}

const extend: Make = (contents, random) => {
  const path = pickFile(contents, random)
  const more = Buffer.from(Array.from({ length: 1 + below(random, 200) }, () => 1 + below(random, 255)))
  const bytes = Buffer.concat([contents.get(path)!, more])
  return { name: `${path} with ${more.length} more bytes`, contents: withFile(contents, path, bytes) }
}

const remove: Make = (contents, random) => {
  const path = pickFile(contents, random, (path) => path.startsWith('segments/') || path === 'format.json')
  return { name: `${path} deleted`, contents: without(contents, (one) => one === path) }
}

const removeWhole: Make = (contents, random) => {
  const path = rowsPlace(pickFile(contents, random))
  return {
    name: `all of ${path} deleted`,
    isDocumented: true,
    contents: without(contents, (one) => rowsPlace(one) === path),
  }
}

/** The directory of a segment, or the file of a journal. */
const rowsPlace = (path: string) => (path.startsWith('segments/') ? path.slice(0, path.lastIndexOf('/')) : path)

const swap: Make = (contents, random) => {
  const [one, other] = [pickFile(contents, random), pickFile(contents, random)]
  const swapped = new Map(contents).set(one, contents.get(other)!).set(other, contents.get(one)!)
  return { name: `${one} and ${other} swapped`, contents: swapped }
}

const replace: Make = (contents, random) => {
  const [one, other] = [pickFile(contents, random), pickFile(contents, random)]
  return { name: `${one} has the content of ${other}`, contents: withFile(contents, one, contents.get(other)!) }
}

const copy: Make = (contents, random) => {
  const place = rowsPlace(pickFile(contents, random))
  const to = copyName(place, random)
  const copied = [...contents].filter(([path]) => rowsPlace(path) === place)
  const contentsWithCopy = new Map([
    ...contents,
    ...copied.map(([path, bytes]) => [path.replace(place, to), bytes] as const),
  ])
  return { name: `${place} copied to ${to}`, contents: contentsWithCopy }
}

function copyName(place: string, random: Random): string {
  const isJournal = place.startsWith('journal/')
  const next = `${90 + below(random, 9)}`.padStart(8, '0')
  const names = isJournal
    ? [place.replace(/\d+/, next), place.replace(/-0+/, '-'), `${place}.bak`, place.replace('.log', ' (copy).log')]
    : [
        place.replace(/\d+-\d+$/, `${next}-0`),
        `${place}0`,
        `${place}.bak`,
        place.replace(/\d{4}-\d\d-\d\d/, '2026-11-01'),
      ]
  return oneOf(random, names)
}

const unread: Make = (contents, random) => {
  const path = pickFile(contents, random)
  const from = 4096 * Math.floor(below(random, contents.get(path)!.length) / 4096)
  const to = from + 4096 * (1 + below(random, 3))
  return { name: `${path} unreadable from ${from} to ${to}`, contents, unreadable: { path, from, to } }
}

const settings: Make = (contents, random) => {
  const path = pickFile(contents, random, (path) => !isOfRows(path))
  const bytes = Buffer.from(contents.get(path)!)
  const at = below(random, bytes.length)
  const broken = oneOf(random, [bytes.subarray(0, at), Buffer.from(bytes).fill(0, at, Math.min(at + 8, bytes.length))])
  const isDocumented = path === 'rejects.ndjson'
  return { name: `${path} broken at ${at}`, isDocumented, contents: withFile(contents, path, broken) }
}

const leave: Make = (contents, random) => {
  const [path, bytes] = oneOf(
    random,
    [...contents].filter(([path]) => isOfRows(path)),
  )
  const place = rowsPlace(path)
  const left = oneOf(random, [
    `${place}.unfinished`,
    `${place}.gone`,
    `${place}.unfinished/hot.arrow`,
    'format.json.new',
  ])
  return { name: `leftover ${left}`, contents: withFile(contents, left, bytes) }
}

const MAKERS: readonly Make[] = [
  flip,
  flip,
  zero,
  garble,
  cut,
  extend,
  remove,
  removeWhole,
  swap,
  replace,
  copy,
  unread,
  settings,
  leave,
]

/** Returns a directory with 1 to 3 damages. */
export function damage(contents: Contents, random: Random): Damage {
  let damaged = oneOf(random, MAKERS)(contents, random)
  for (let more = oneOf(random, [0, 0, 0, 1, 2]); more > 0; more--) {
    const next = oneOf(random, MAKERS)(damaged.contents, random)
    damaged = {
      name: `${damaged.name}; ${next.name}`,
      isDocumented: [damaged, next].some(({ isDocumented }) => isDocumented) || lacksPlace(contents, next.contents),
      contents: next.contents,
      ...((next.unreadable ?? damaged.unreadable) && { unreadable: (next.unreadable ?? damaged.unreadable)! }),
    }
  }
  return damaged
}

/** Whether both files of a segment were deleted, in two damages. */
function lacksPlace(before: Contents, after: Contents): boolean {
  const left = new Set([...after.keys()].map(rowsPlace))
  return [...before.keys()].some((path) => path.startsWith('segments/') && !left.has(rowsPlace(path)))
}

/** Returns files of which some bytes cannot be read, until another file is at the path. */
export function withUnreadable(files: Files, unreadable: Damage['unreadable']): Files {
  if (unreadable === undefined) return files
  const { path: bad, from, to } = unreadable
  let isBad = true
  return {
    ...files,
    async rename(one, other) {
      await files.rename(one, other)
      if (bad === other || bad.startsWith(one)) isBad = false
    },
    async openToRead(path) {
      const file = await files.openToRead(path)
      if (path !== bad || !isBad) return file
      const readAt: ReadableFile['readAt'] = (position, target) =>
        position < to && Math.min(position + target.length, file.bytes) > from
          ? Promise.reject(Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' }))
          : file.readAt(position, target)
      return { bytes: file.bytes, close: () => file.close(), readAt }
    },
  }
}
