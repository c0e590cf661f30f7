import { execFileSync } from 'node:child_process'
import { closeSync, openSync, rmSync, writeFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { MIB } from '../../../src/base/units.js'
import { allNumbers, numberedLine } from '../support/numbered.js'
import { makePipe } from '../support/pipe.js'
import { launch, listening, type Served, serve, TOKEN, temporaryFolder, until } from '../support/program.js'
import { isWhole, openSocket, readAll } from '../support/sockets.js'
import { makeUnwellDisk } from '../support/unwell.js'
import { makeVolume, VOLUME } from '../support/volume.js'

const STOP_MS = 5_000
const ROOM_BYTES = 24 * MIB
const MESSAGE = 'x'.repeat(1500)
const startUs = Date.now() * 1000 - 3600e6
const WITHOUT_MEMORY = { LOGWEIR_IN_MEMORY: '' }

const lineOf = (number: number) => numberedLine(number, startUs, MESSAGE)
const linesOf = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => lineOf(from + i)).join('')
const numbersTo = (end: number) => [...Array(end).keys()]
const rowsOf = (service: Served) => service.metric('logweir_rows{source="edge_logs"}')

const untilRows = (service: Served, wanted: number) =>
  until(
    () => rowsOf(service),
    (rows) => rows === wanted,
  )

/** Sends the head of a request with records, and the first part of the body. Begins to read the answer at once. */
async function post(service: Served, body: string, sent = body): Promise<{ socket: Socket; answer: Promise<string> }> {
  const socket = await openSocket(service.url)
  const head = ['POST /api/logs HTTP/1.1', 'Host: x', `X-API-KEY: ${TOKEN}`, 'Content-Type: application/x-ndjson']
  socket.write(`${head.join('\r\n')}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${sent}`)
  return { socket, answer: readAll(socket) }
}

const statusOf = (answer: string) => /^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]

/** Sends a signal. Returns how the program ended and the program's report about the rows of standard input. */
async function stopped(service: Served, signal: NodeJS.Signals = 'SIGTERM') {
  const startMs = performance.now()
  service.child.kill(signal)
  const exit = await service.exit
  const tookMs = performance.now() - startMs
  const said = service.stderrText()
  const [, accepted] = /standard input ended: (\d+) rows accepted/.exec(said) ?? []
  const [, unstored, reason, fromLine] =
    /rows of standard input were read and could not be stored: (\d+)\. (.*) All lines before line (\d+) /.exec(said) ??
    []
  console.log(`stopped with ${exit} after ${Math.round(tookMs)} ms: ${accepted} accepted, ${unstored} not (${reason})`)
  expect(tookMs).toBeLessThan(STOP_MS)
  expect(said).toContain(`${signal}: stopping\n`)
  return {
    exit,
    accepted: Number(accepted ?? 0),
    unstored: Number(unstored ?? 0),
    reason,
    fromLine: Number(fromLine),
    said,
  }
}

type Stopped = Awaited<ReturnType<typeof stopped>>

/** Expects that each line sent is stored or counted, and that no line is lost before the named line. */
function expectAccounts({ accepted, unstored, fromLine }: Stopped, sent: number, stored: readonly number[]): void {
  expect([accepted + unstored, stored.length]).toEqual([sent, accepted])
  if (unstored > 0) expect(stored.slice(0, fromLine - 1)).toEqual(numbersTo(fromLine - 1))
}

async function storedIn(directory: string): Promise<number[]> {
  const next = await serve(['--data-dir', directory], { environment: WITHOUT_MEMORY })
  const stored = await allNumbers(next, startUs)
  next.child.kill('SIGKILL')
  await next.exit
  return stored
}

/** Starts the service on a disk that becomes unwell after 100 rows, and writes 400 more. */
async function serveUnwell(illness: string, args: readonly string[] = []) {
  const disk = makeUnwellDisk()
  const environment = { ...WITHOUT_MEMORY, ...disk.environment }
  const service = await serve(['--data-dir', disk.directory, ...args], { environment })
  service.child.stdin!.write(linesOf(0, 100))
  await until(
    () => service.metric('logweir_ingested_rows_total{source="edge_logs"}'),
    (rows) => rows === 100,
  )
  disk.become(illness)
  service.child.stdin!.write(linesOf(100, 500))
  await wait(700)
  return { disk, service }
}

describe('X1: SIGTERM on a disk that cannot be written to', () => {
  it(`that is full (${VOLUME}): 0, requests in flight get 503, and the rows that are lost are counted`, async () => {
    const volume = makeVolume(ROOM_BYTES)
    const service = await serve(['--data-dir', volume.directory], {
      environment: { ...WITHOUT_MEMORY, ...volume.environment },
    })
    service.child.stdin!.write(linesOf(0, 100))
    await untilRows(service, 100)
    volume.fill()
    const before = await post(service, linesOf(9000, 9100))
    service.child.stdin!.write(linesOf(100, 500))
    await wait(700)
    const receiving = await post(service, linesOf(9100, 9200), lineOf(9100))
    const end = await stopped(service)
    expect(end.exit).toBe(0)
    expect(end.reason).toMatch(/ENOSPC/)
    expect(end.said).not.toContain('can be written to again')
    expect([await before.answer, await receiving.answer].map(statusOf)).toEqual(['503', '503'])
    volume.resize(4 * ROOM_BYTES)
    expectAccounts(end, 500, await storedIn(volume.directory))
    expect(end.unstored).toBeGreaterThan(0)
  })

  it.skipIf(VOLUME !== 'a tmpfs')('that was remounted read-only', async () => {
    const volume = makeVolume(ROOM_BYTES)
    const service = await serve(['--data-dir', volume.directory], { environment: WITHOUT_MEMORY })
    // No journal is open for writing yet, which would make the mount busy.
    execFileSync('mount', ['-o', 'remount,ro', dirname(volume.directory)])
    service.child.stdin!.write(linesOf(0, 300))
    await until(
      async () => service.stderrText(),
      (text) => text.includes('EROFS'),
    )
    const inFlight = await post(service, linesOf(9000, 9100))
    const end = await stopped(service)
    expect([end.exit, end.accepted, end.unstored, end.fromLine]).toEqual([0, 0, 300, 1])
    expect(statusOf(await inFlight.answer)).toBe('503')
  })

  it.each(['EROFS', 'EIO', 'EDQUOT', 'ENOSPC', 'EACCES'])('that refuses each write with %s', async (code) => {
    const { disk, service } = await serveUnwell(code)
    const inFlight = await post(service, linesOf(9000, 9100))
    const end = await stopped(service)
    expect([end.exit, end.reason]).toEqual([0, expect.stringContaining(code)])
    expect(statusOf(await inFlight.answer)).toBe('503')
    expectAccounts(end, 500, await storedIn(disk.directory))
    expect(end.unstored).toBe(400)
  })

  it('whose fsync fails: nothing is lost', async () => {
    const { disk, service } = await serveUnwell('sync')
    const end = await stopped(service)
    expect([end.exit, end.accepted, end.unstored]).toEqual([0, 500, 0])
    expect(await storedIn(disk.directory)).toEqual(numbersTo(500))
  })

  it('that recovers at the very end: the last attempt keeps all rows', async () => {
    const { disk, service } = await serveUnwell('ENOSPC')
    disk.recover()
    const end = await stopped(service)
    expect([end.exit, end.accepted, end.unstored]).toEqual([0, 500, 0])
    expect(await storedIn(disk.directory)).toEqual(numbersTo(500))
  })

  it('that hangs: requests get 503, the rows are counted, and the process ends although calls do not', async () => {
    const { disk, service } = await serveUnwell('hang')
    const inFlight = await post(service, linesOf(9000, 9100))
    const end = await stopped(service)
    expect([0, 'SIGKILL']).toContain(end.exit)
    expect([end.accepted, end.unstored, end.reason]).toEqual([100, 400, expect.stringContaining('does not answer')])
    expect(statusOf(await inFlight.answer)).toBe('503')
    disk.recover()
    expect((await storedIn(disk.directory)).slice(0, 100)).toEqual(numbersTo(100))
  })

  it('whose directory was removed', async () => {
    const { disk, service } = await serveUnwell('ENOSPC')
    rmSync(disk.directory, { recursive: true })
    const startMs = performance.now()
    service.child.kill('SIGTERM')
    // The loss of the lock ends the program with 1, if noticed first.
    expect([0, 1]).toContain(await service.exit)
    expect(performance.now() - startMs).toBeLessThan(STOP_MS)
    expect(service.stderrText()).toMatch(/could not be stored: 400\. /)
  })

  it('whose directory was removed, without a signal: it ends with 1, and counts the rows too', async () => {
    const { disk, service } = await serveUnwell('ENOSPC')
    rmSync(disk.directory, { recursive: true })
    expect(await service.exit).toBe(1)
    expect(service.stderrText()).toMatch(/could not be stored: 400\. /)
  })

  it('that hangs from the start on', async () => {
    const disk = makeUnwellDisk()
    const environment = { ...WITHOUT_MEMORY, ...disk.environment }
    const first = await serve(['--data-dir', disk.directory], { environment })
    first.child.kill('SIGTERM')
    await first.exit
    disk.become('hang')
    const program = launch(['--data-dir', disk.directory], { environment })
    await wait(1_500)
    const startMs = performance.now()
    program.child.kill('SIGTERM')
    expect([0, 'SIGKILL']).toContain(await program.exit)
    expect(performance.now() - startMs).toBeLessThan(STOP_MS)
    expect(program.stderrText()).toContain('SIGTERM: stopping\n')
  })

  it.each(['SIGINT', 'SIGHUP'] as const)('and so do %s', async (signal) => {
    const { service } = await serveUnwell('ENOSPC')
    const end = await stopped(service, signal)
    expect([end.exit, end.accepted, end.unstored]).toEqual([0, 100, 400])
  })

  it('X2: a second signal ends it at once, with 1', async () => {
    const { service } = await serveUnwell('hang')
    service.child.kill('SIGTERM')
    await service.waitForStderr(/SIGTERM: stopping\n/)
    const secondMs = performance.now()
    service.child.kill('SIGTERM')
    expect([1, 'SIGKILL']).toContain(await service.exit)
    expect(performance.now() - secondMs).toBeLessThan(2_000)
  })

  it('while a fast writer holds standard input open', async () => {
    const disk = makeUnwellDisk()
    const pipe = makePipe()
    const environment = { ...WITHOUT_MEMORY, ...disk.environment }
    const service = await serve(['--data-dir', disk.directory], { environment, stdin: pipe.readEnd })
    pipe.handedOver()
    const lines = (function* () {
      for (let number = 0; number < 60_000; number++) yield lineOf(number)
    })()
    pipe.write(lines).catch(() => {})
    await until(
      () => rowsOf(service),
      (rows) => rows > 1000,
    )
    disk.become('ENOSPC')
    await until(
      () => service.metric('logweir_degraded'),
      (degraded) => degraded === 1,
    )
    await wait(300)
    const end = await stopped(service)
    expect(end.exit).toBe(0)
    const stored = await storedIn(disk.directory)
    expect(stored).toEqual(numbersTo(end.accepted))
    expect(end.unstored).toBeGreaterThan(0)
    expect(end.fromLine).toBeLessThanOrEqual(end.accepted + 1)
    // No more was read than was stored or counted: the rest is in the pipe.
    const read = (end.accepted + end.unstored) * lineOf(10_000).length
    expect(pipe.taken() - read).toBeLessThan(256 * 1024)
  })

  it('while it reads a file', async () => {
    const path = join(temporaryFolder(), 'lines')
    writeFileSync(path, linesOf(0, 40_000))
    const disk = makeUnwellDisk()
    disk.become('ENOSPC')
    const file = openSync(path, 'r')
    const environment = { ...WITHOUT_MEMORY, ...disk.environment }
    // The directory is made before the disk is full.
    disk.recover()
    const first = await serve(['--data-dir', disk.directory], { environment })
    first.child.kill('SIGTERM')
    await first.exit
    disk.become('ENOSPC')
    const service = await listening(launch(['--data-dir', disk.directory], { environment, stdin: file }))
    closeSync(file)
    await until(
      async () => service.stderrText(),
      (text) => text.includes('cannot be written to'),
    )
    const end = await stopped(service)
    expect([end.exit, end.accepted, end.fromLine]).toEqual([0, 0, 1])
    expect(end.unstored).toBeGreaterThan(0)
  })

  it('during a start that recovers rows', async () => {
    const volume = makeVolume(3 * ROOM_BYTES)
    const environment = { ...WITHOUT_MEMORY, ...volume.environment }
    const args = ['--data-dir', volume.directory]
    const first = await serve(args, { environment })
    for (let from = 0; from < 20_000; from += 1000) first.child.stdin!.write(linesOf(from, from + 1000))
    await untilRows(first, 20_000)
    first.child.kill('SIGKILL')
    await first.exit
    const giveRoom = volume.fill()
    const second = await listening(launch([...args, '--memory-limit', '64M'], { environment }))
    const end = await stopped(second)
    expect(end.exit).toBe(0)
    giveRoom()
    const third = await serve(args, { environment })
    expect(await rowsOf(third)).toBe(20_000)
  })

  it.each(['ENOSPC', 'hang'])('with --engine clickhouse, a server that is away, and %s', async (illness) => {
    const clickhouse = ['--engine', 'clickhouse', '--clickhouse-url', 'http://127.0.0.1:9']
    const { service } = await serveUnwell(illness, clickhouse)
    const inFlight = await post(service, linesOf(9000, 9100))
    const end = await stopped(service)
    expect([0, 'SIGKILL']).toContain(end.exit)
    expect([end.accepted, end.unstored]).toEqual([100, 400])
    expect(statusOf(await inFlight.answer)).toBe('503')
  })
})

describe('X1: SIGTERM while requests wait', () => {
  it('for the rest of their bodies: 503, and 0', async () => {
    const service = await serve([])
    const bodies = await Promise.all([1, 2, 3, 4, 5].map((n) => post(service, linesOf(0, 10 * n), lineOf(0))))
    await service.get('/health')
    const { exit } = await stopped(service)
    const answers = await Promise.all(bodies.map(({ answer }) => answer))
    expect(exit).toBe(0)
    expect(answers.map((answer) => [statusOf(answer), isWhole(answer)])).toEqual(Array(5).fill(['503', true]))
    expect(answers.every((answer) => answer.includes('"code":"stopping"'))).toBe(true)
  })

  it('for a body that arrives in the grace period, which is stored', async () => {
    const service = await serve([])
    const { socket, answer } = await post(service, linesOf(0, 2), lineOf(0))
    await service.get('/health')
    service.child.kill('SIGTERM')
    await service.waitForStderr(/SIGTERM: stopping\n/)
    await wait(500)
    socket.write(lineOf(1))
    expect(statusOf(await answer)).toBe('200')
    expect(await service.exit).toBe(0)
  })

  it('for a ClickHouse server that does not answer, in time although a client is slow', async () => {
    const { service } = await serveUnwell('', ['--engine', 'clickhouse', '--clickhouse-url', 'http://127.0.0.1:9'])
    const slow = await post(service, linesOf(0, 10), lineOf(0))
    const end = await stopped(service)
    expect([end.exit, end.accepted, end.unstored]).toEqual([0, 500, 0])
    expect(statusOf(await slow.answer)).toBe('503')
    expect(end.said).not.toContain('does not answer')
  })
})
