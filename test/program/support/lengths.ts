import { once } from 'node:events'
import { expect } from 'vitest'
import { MIB } from '../../../src/base/units.js'
import { MAX_LINE_BYTES } from '../../../src/ingest/lines/check-lines.js'
import { inTries } from '../../support/tries.js'
import { forgetPeak, residentBytes } from './memory.js'
import { allRows } from './pages.js'
import { type Served, serve, until } from './program.js'

/** Lines with lengths around the limit, and a line that is far longer, each at every place of a stream. */
const PROJECT = 'thelengthsoflinesabc'
const START_US = (Date.now() - 3_600_000) * 1000
const LENGTHS = [-1, 0, 1, 100, MAX_LINE_BYTES].map((more) => MAX_LINE_BYTES + more)
const PLACES = ['alone', 'first', 'middle', 'last'] as const
/** The memory that a skipped line may take, however long the line is. */
const GROWTH_BYTES = 16 * MIB
const TRIES = 3
const FILLERS = 8000
/** A line of this length lets the heaps of the program reach their full size. */
const WARM_UP_BYTES = 256 * MIB

type Place = (typeof PLACES)[number]

/** Returns a record of exactly `lineBytes` bytes, with the record's place in the stream as id and time. */
function recordOf(id: string, number: number, lineBytes?: number): string {
  const start = `{"source":"edge_logs","id":"${id}","timestamp":${START_US + number}`
  const head = `${start},"project":"${PROJECT}","event_message":"`
  return `${head}${'x'.repeat((lineBytes ?? head.length + 2) - head.length - 2)}"}`
}

const neighbours = (from: number, count: number) =>
  Array.from({ length: count }, (_, i) => recordOf(`near ${from + i}`, from + i))

/** The lines before and after the tested line. */
function around(place: Place): { before: string[]; behind: string[] } {
  return {
    before: place === 'middle' || place === 'last' ? neighbours(0, 3) : [],
    behind: place === 'middle' || place === 'first' ? neighbours(10, 3) : [],
  }
}

const idsIn = (lines: readonly string[]): string[] => lines.map((line) => JSON.parse(line).id)

/** Writes with backpressure, so that this process buffers nothing. */
async function write(service: Served, bytes: Buffer | string): Promise<void> {
  const { stdin } = service.child
  if (!stdin!.write(bytes)) await once(stdin!, 'drain')
}

/** Returns the counts of the program and the rows after the end of the stream. */
async function outcome(service: Served) {
  const [, taken, rejected] = await service.waitForStderr(/standard input ended: (\d+) rows accepted, (.*)\n/)
  const rows = await allRows(service, PROJECT)
  return { taken: Number(taken), rejected, ids: rows.map(({ id }) => id).reverse() }
}

const tooLong = (count: number) => (count === 0 ? '0 rejected' : `${count} rejected (line_too_long ${count})`)

/** Feeds a stream of lines with the given lengths, and a short line between each two. */
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

/** Feeds a stream for each given length, with that length first and the length before in the list last. */
export async function feedInTurn(firsts: readonly number[] = LENGTHS): Promise<void> {
  for (const first of firsts) {
    const at = LENGTHS.indexOf(first)
    await feedLengths([...LENGTHS.slice(at), ...LENGTHS.slice(0, at)])
  }
}

export async function feedEachLengthAlone(): Promise<void> {
  for (const lineBytes of LENGTHS) await feedLengths([lineBytes])
}

/** Warms the program up: enough lines to fill batches, and a line that is far too long. */
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

/** Sends a line of `lineBytes` that is made piece by piece. Returns the growth of the program's memory in bytes. */
async function feedEndless(lineBytes: number, place: Place): Promise<number> {
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

/**
 * Sends the long line at each given place. If the line is alone, nothing warmed the program up, and the memory is not
 * checked.
 */
export async function feedEndlessLines(lineBytes: number, places: readonly Place[] = PLACES): Promise<void> {
  for (const place of places) {
    const mostBytes = place === 'alone' ? Number.POSITIVE_INFINITY : GROWTH_BYTES
    const feed = () => feedEndless(lineBytes, place)
    expect(await inTries(TRIES, feed, (grown) => grown <= mostBytes)).toBeLessThanOrEqual(mostBytes)
  }
}
