/**
 * Measures how fast a file of full lines becomes rows that queries see, and the memory and disk space of the rows. A
 * single process: 1,000,000 edge and 1,000,000 relay records on the standard input of `logweir serve`.
 *
 *   node bench/ingest.mjs 1000000 memory | disk
 */
import { closeSync, mkdtempSync, openSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileOf, readOnce } from './data.mjs'
import { measureMachine } from './machine.mjs'
import { metric, startService } from './service.mjs'

const rows = Number(process.argv[2] ?? 1_000_000)
const dataDir = process.argv[3] === 'disk' ? mkdtempSync(join(tmpdir(), 'logweir-bench-data-')) : undefined
const path = await fileOf(rows)
const bytes = statSync(path).size
const machine = measureMachine(path)
await readOnce(path)
const stdin = openSync(path, 'r')
const service = await startService(stdin, dataDir === undefined ? [] : ['--data-dir', dataDir])
const { match, atMs } = await service.waitForOutput(/standard input ended: (\d+) rows accepted, (\d+) rejected/)
closeSync(stdin)
const seconds = (atMs - service.startedMs) / 1000
const visible = await metric(service, 'logweir_rows')
const held = await metric(service, 'logweir_bytes')
const [residentMb, peakMb] = [service.residentMb(), service.peakMb()]
// After this no file of the directory changes.
await service.stop()
console.log(
  JSON.stringify({
    rows: Number(match[1]),
    rejected: Number(match[2]),
    visible,
    seconds,
    mbPerSecond: bytes / 1e6 / seconds,
    rowsPerSecond: visible / seconds,
    lineBytes: bytes / visible,
    heldBytesPerRow: held / visible,
    residentMb,
    peakMb,
    ...(dataDir !== undefined && { diskBytesPerRow: bytesIn(dataDir) / visible }),
    ...machine,
  }),
)
if (dataDir !== undefined) rmSync(dataDir, { recursive: true })

/** Returns the bytes of all files below a directory. */
function bytesIn(directory) {
  const stats = readdirSync(directory, { recursive: true }).map((entry) => statSync(join(directory, entry)))
  return stats.reduce((sum, stat) => sum + (stat.isFile() ? stat.size : 0), 0)
}
