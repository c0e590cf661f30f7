import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { MIB } from '../../../src/base/units.js'
import { allNumbers, highestShown, numberedLine, PROJECT } from '../support/numbered.js'
import { makePipe } from '../support/pipe.js'
import { launch, type Served, serve, served, until } from '../support/program.js'
import { makeVolume, VOLUME } from '../support/volume.js'

const ROOM_BYTES = 8 * MIB
const FED_BYTES = 64 * MIB
/** About the length of an edge request. */
const MESSAGE = 'x'.repeat(1500)
/** Bytes in the pipe, in slabs and in batches that are not on the disk yet. */
const HELD_BYTES = 16 * MIB
const RESUME_MS = 10_000
const START_MS = 5_000
const startUs = Date.now() * 1000 - 3600e6

function* lines(from: number, to: number) {
  for (let number = from; number < to; number++) yield numberedLine(number, startUs, MESSAGE)
}

const numbersTo = (end: number) => [...Array(end).keys()]
const rowsOf = (service: Served) => service.metric('logweir_rows{source="edge_logs"}')

async function healthOf(service: Served): Promise<string> {
  const response = await service.get('/health')
  return `${response.status} ${((await response.json()) as { status: string }).status}`
}

async function statusOfQuery(service: Served): Promise<string> {
  const response = await service.get(`/api/endpoints/query/logs.all?project=${PROJECT}&project_tier=ENTERPRISE`)
  await response.arrayBuffer()
  return String(response.status)
}

/** Waits for a state of /health: each blocked operation is retried within the same time. */
const becomes = (service: Served, health: string) =>
  until(
    () => healthOf(service),
    (now) => now === health,
    RESUME_MS,
  )

/**
 * Repeats a query. The returned function stops and returns the number of answers by status. `failed` counts queries
 * without an answer.
 */
function watchQueries(service: Served) {
  const counts: Record<string, number> = {}
  let isStopped = false
  const watching = (async () => {
    while (!isStopped) {
      const outcome = await statusOfQuery(service).catch(() => 'failed')
      counts[outcome] = (counts[outcome] ?? 0) + 1
      await wait(20)
    }
  })()
  return async () => {
    isStopped = true
    await watching
    return counts
  }
}

describe(`D7: a disk that becomes full (${VOLUME})`, () => {
  it('holds standard input while queries go on, and takes all within 10 s of there being room', async () => {
    const volume = makeVolume(ROOM_BYTES)
    const pipe = makePipe()
    const { environment } = volume
    const args = ['--data-dir', volume.directory]
    const service = await serve(args, { environment, stdin: pipe.readEnd })
    pipe.handedOver()
    const stopWatching = watchQueries(service)
    const rows = Math.ceil(FED_BYTES / numberedLine(0, startUs, MESSAGE).length)
    const fed = pipe.write(lines(0, rows))
    // If the test fails earlier.
    fed.catch(() => {})
    await becomes(service, '200 degraded')
    expect(await service.metric('logweir_degraded')).toBe(1)
    await wait(1500)
    const [shown, taken] = [await rowsOf(service), pipe.taken()]
    expect(taken).toBeLessThan(ROOM_BYTES + HELD_BYTES)
    await wait(1500)
    expect([await healthOf(service), await rowsOf(service), pipe.taken()]).toEqual(['200 degraded', shown, taken])

    volume.resize(4 * FED_BYTES)
    const roomMs = performance.now()
    await until(
      () => rowsOf(service),
      (now) => now > shown,
      RESUME_MS,
    )
    await becomes(service, '200 ok')
    expect(await service.metric('logweir_degraded')).toBe(0)
    console.log(`D7 held after ${taken} bytes and ${shown} rows, resumed after ${performance.now() - roomMs} ms`)
    await fed
    pipe.end()
    await service.waitForStderr(new RegExp(`standard input ended: ${rows} rows accepted, 0 rejected\n`))
    expect(Object.keys(await stopWatching())).toEqual(['200'])
    service.child.kill('SIGKILL')
    await service.exit
    const next = await serve(args, { environment })
    expect(await rowsOf(next)).toBe(rows)
    const around = shown + 1000
    expect(await allNumbers(next, startUs, { below: around })).toEqual(numbersTo(around))
  })
})

const SERVES = 'serves what a program that was %s has kept within 5 s, and takes rows once there is room'

describe(`D8: a start on a full disk (${VOLUME})`, () => {
  it.each([
    ['stopped', 'SIGTERM'],
    ['killed', 'SIGKILL'],
  ] as const)(SERVES, async (_, signal) => {
    const volume = makeVolume(ROOM_BYTES)
    const { environment } = volume
    const args = ['--data-dir', volume.directory]
    // With so little memory some rows are in segments, the others in a journal.
    const first = await serve([...args, '--memory-limit', '16M'], { environment })
    for (const line of lines(0, 800)) first.child.stdin!.write(line)
    await until(
      () => first.metric('logweir_segments{source="edge_logs"}'),
      (segments) => segments > 0,
    )
    for (const line of lines(800, 1000)) first.child.stdin!.write(line)
    await until(
      () => rowsOf(first),
      (rows) => rows === 1000,
    )
    first.child.kill(signal)
    await first.exit

    const giveRoom = volume.fill()
    const startMs = performance.now()
    // With so little memory the journal is a full head, which the start seals if possible.
    const second = await served(launch([...args, '--memory-limit', '4M'], { environment }))
    expect(await highestShown(second)).toBe(999)
    const tookMs = performance.now() - startMs
    console.log(`D8 served after ${tookMs} ms`)
    expect(tookMs).toBeLessThan(START_MS)
    await becomes(second, '200 degraded')
    for (const line of lines(1000, 1100)) second.child.stdin!.write(line)
    expect(await allNumbers(second, startUs)).toEqual(numbersTo(1000))
    giveRoom()
    await until(
      () => rowsOf(second),
      (rows) => rows === 1100,
      RESUME_MS,
    )
    expect(await allNumbers(second, startUs)).toEqual(numbersTo(1100))
    await becomes(second, '200 ok')
  })
})
