/**
 * Measures how fast paths are read from the metadata of generated full edge records, host included: GB (10^9 bytes of
 * metadata) per second of CPU time. Each process measures a single set of paths.
 *
 *   node bench/extract.mjs one | four | missing | deep | top
 *
 * The texts are read in calls of 512 rows, as a batch of cold columns has, and are in the text memory already.
 */
import { pathToFileURL } from 'node:url'
import { createExtractor } from '../dist/engine/execute/fields/extractor.js'
import { records } from './data.mjs'
import { median } from './process.mjs'

const ROWS = 32_768
const CALL_ROWS = 512
const RUNS = 15

/** Sets of paths: all records have values at all paths, but for `missing`. */
export const PATHS = {
  one: [['request', 'cf', 'country']],
  four: [
    ['request', 'cf', 'country'],
    ['request', 'cf', 'asn'],
    ['request', 'cf', 'tlsVersion'],
    ['request', 'host'],
  ],
  missing: [['request', 'cf', 'county']],
  deep: [['request', 'cf', 'tlsExportedAuthenticator', 'clientFinished']],
  top: [['response']],
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) console.log(JSON.stringify(measure(process.argv[2])))

function measure(name) {
  const paths = PATHS[name]
  const extractor = createExtractor()
  const { texts, bytes } = writeTexts(extractor)
  const calls = Array.from({ length: ROWS / CALL_ROWS }, (_, call) =>
    Uint32Array.from({ length: CALL_ROWS }, (_, i) => call * CALL_ROWS + i),
  )
  const seconds = []
  let present = 0
  for (let run = 0; run < RUNS; run++) {
    const startUs = process.cpuUsage().user
    present = 0
    for (const rows of calls) for (const kind of extractor.extract(paths, texts, rows).kinds) if (kind !== 0) present++
    seconds.push((process.cpuUsage().user - startUs) / 1e6)
  }
  const gbPerSecond = (time) => bytes / 1e9 / time
  return {
    paths: name,
    rows: ROWS,
    bytesPerRow: bytes / ROWS,
    valuesPerRow: present / ROWS,
    gbPerSecond: gbPerSecond(median(seconds)),
    firstGbPerSecond: gbPerSecond(seconds[0]),
  }
}

function writeTexts(extractor) {
  const lines = Buffer.concat([...records('edge_logs', ROWS, false)])
    .toString()
    .trimEnd()
    .split('\n')
  const texts = lines.map((line) => JSON.stringify(JSON.parse(line).metadata))
  const offsets = new Int32Array(ROWS + 1)
  for (const [i, text] of texts.entries()) offsets[i + 1] = offsets[i] + Buffer.byteLength(text)
  const bytes = offsets[ROWS]
  extractor.textMemory(bytes).set(Buffer.from(texts.join('')))
  return { texts: { starts: offsets, ends: offsets.subarray(1) }, bytes }
}
