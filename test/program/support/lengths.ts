import { once } from 'node:events'
import { expect } from 'vitest'
import { MIB } from '../../../src/base/units.js'
import { MAX_LINE_BYTES } from '../../../src/ingest/lines/record-sink.js'
import { inTries } from '../../support/tries.js'
import { forgetPeak, residentBytes } from './memory.js'
import { allRows } from './pages.js'
import { type Served, serve, until } from './program.js'

/** Lines of lengths around the limit, and one that hardly ends, each at every place of a stream. */
const PROJECT = 'thelengthsoflinesabc'
const START_US = (Date.now() - 3_600_000) * 1000
const LENGTHS = [-1, 0, 1, 100, MAX_LINE_BYTES].map((more) => MAX_LINE_BYTES + more)
const PLACES = ['alone', 'first', 'middle', 'last'] as const
/** What a line that is skipped may cost, however long it is. */
const GROWTH_BYTES = 16 * MIB
const TRIES = 3
const FILLERS = 8000
/** So long a line has the program's heaps grow as far as they do. */
const WARM_UP_BYTES = 256 * MIB

type Place = (typeof PLACES)[number]

/** A record of exactly so many bytes, its place in the stream in its id and its time. */
function recordOf(id: string, number: number, lineBytes?: number): string {
  const head = `{"source":"edge_logs","id":"${id}","timestamp":${START_US + number},"project":"${PROJECT}","event_message":"`
  return `${head}${'x'.repeat((lineBytes ?? head.length + 2) - head.length - 2)}"}`
}

const neighbours = (from: number, count: number) =>
  Array.from({ length: count }, (_, i) => recordOf(`near ${from + i}`, from + i))

/** Lines before and behind the one in question. */
function around(place: Place): { before: string[]; behind: string[] } {
  return {
    before: place === 'middle' || place === 'last' ? neighbours(0, 3) : [],
    behind: place === 'middle' || place === 'first' ? neighbours(10, 3) : [],
  }
}

const idsIn = (lines: readonly string[]): string[] => lines.map((line) => JSON.parse(line).id)

/** Writes as the pipe takes it, so that the writer holds nothing. */
async function write(service: Served, bytes: Buffer | string): Promise<void> {
  const { stdin } = service.child
  if (!stdin!.write(bytes)) await once(stdin!, 'drain')
}

/** What the program says and shows of a stream that has come to its end. */
async function outcome(service: Served) {
  const [, taken, rejected] = await service.says(/standard input ended: (\d+) rows accepted, (.*)\n/)
  const rows = await allRows(service, PROJECT)
  return { taken: Number(taken), rejected, ids: rows.map(({ id }) => id).reverse() }
}

const tooLong = (count: number) => (count === 0 ? '0 rejected' : `${count} rejected (line_too_long ${count})`)

/** A stream whose lines, apart from short neighbours between them, have these lengths. */
async function feedLengths(lengths: readonly number[]): Promise<void> {
  const long = lengths.map((lineBytes, i) => recordOf(`long ${i}`, 10 * i, lineBytes))
  const lines = long.flatMap((line, i) => (i === 0 ? [line] : [...neighbours(10 * i - 5, 2), line]))
  const taken = lines.filter((line) => line.length <= MAX_LINE_BYTES)
  const service = await serve()
  service.child.stdin!.end(lines.join('\n'))
  const rejected = tooLong(lines.length - taken.length)
  expect(await outcome(service)).toEqual({ taken: taken.length, rejected, ids: idsIn(taken) })
  service.child.kill('SIGKILL')
}

/** One stream for each of these lengths, which stands first; the one before it in the list is the last of the stream. */
export async function feedInTurn(firsts: readonly number[] = LENGTHS): Promise<void> {
  for (const first of firsts) {
    const at = LENGTHS.indexOf(first)
    await feedLengths([...LENGTHS.slice(at), ...LENGTHS.slice(0, at)])
  }
}

export async function feedEachLengthAlone(): Promise<void> {
  for (const lineBytes of LENGTHS) await feedLengths([lineBytes])
}

/** What any busy stream touches once: lines enough to fill batches, and a line that is too long by far. */
async function warmUp(service: Served, lineBytes: number): Promise<number> {
  const filler = `${recordOf('filler', 0, 1000).replace(PROJECT, 'another')}\n`
  await write(service, filler.repeat(FILLERS))
  const piece = Buffer.alloc(MIB, 'x')
  for (let sent = 0; sent < Math.min(lineBytes, WARM_UP_BYTES); sent += piece.length) await write(service, piece)
  await write(service, '\n')
  await until(
    () => service.metric('logweir_rejected_rows_total{reason="line_too_long"}'),
    (count) => count === 1,
  )
  return FILLERS
}

/** A line of so many bytes that is made while it is sent; gives by how much the program's memory grew meanwhile. */
export async function feedEndless(lineBytes: number, place: Place): Promise<number> {
  const { before, behind } = around(place)
  const service = await serve()
  const warm = place === 'alone' ? 0 : await warmUp(service, lineBytes)
  const { now } = residentBytes(service)
  forgetPeak(service)
  const piece = Buffer.alloc(MIB, 'x')
  await write(service, before.map((line) => `${line}\n`).join(''))
  for (let sent = 0; sent < lineBytes; sent += piece.length) await write(service, piece)
  const grown = residentBytes(service).peak - now
  service.child.stdin!.end(behind.map((line) => `\n${line}`).join(''))
  const ids = [...idsIn(before), ...idsIn(behind)]
  const rejected = tooLong(place === 'alone' ? 1 : 2)
  expect(await outcome(service)).toEqual({ taken: warm + ids.length, rejected, ids })
  service.child.kill('SIGKILL')
  console.log(`I2 ${lineBytes / MIB} MiB without newline, ${place}: memory grew by ${(grown / MIB).toFixed(1)} MiB`)
  return grown
}

/** The endless line at each of these places; where it is alone nothing has warmed the program up, and its memory is not judged. */
export async function feedEndlessLines(lineBytes: number, places: readonly Place[] = PLACES): Promise<void> {
  for (const place of places) {
    const mostBytes = place === 'alone' ? Number.POSITIVE_INFINITY : GROWTH_BYTES
    const feed = () => feedEndless(lineBytes, place)
    expect(await inTries(TRIES, feed, (grown) => grown <= mostBytes)).toBeLessThanOrEqual(mostBytes)
  }
}
