import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { allNumbers, numberedLine } from '../support/numbered.js'
import { type Served, serve, start, temporaryFolder, until } from '../support/program.js'

const START_US = (Date.now() - 3_600_000) * 1000

/** Writes numbered rows, and waits until the rows are visible. */
async function write(service: Served, from: number, to: number) {
  const { stdin } = service.child
  for (let number = from; number < to; number++) stdin!.write(numberedLine(number, START_US))
  await until(
    () => service.metric('logweir_rows{source="edge_logs"}'),
    (rows) => rows === to,
  )
}

async function refusal(dataDir: string) {
  const { exit, stderrText } = start(['serve', '--port', '0', '--data-dir', dataDir])
  return { code: await exit, said: stderrText() }
}

async function kill(service: Served, signal: NodeJS.Signals) {
  service.child.kill(signal)
  return service.exit
}

describe('a data directory', () => {
  it('is refused while another process has it, and free when that was killed', async () => {
    const dataDir = temporaryFolder()
    const first = await serve(['--data-dir', dataDir])
    expect(await refusal(dataDir)).toEqual({
      code: 1,
      said:
        `logweir: The data directory ${dataDir} is in use by process ${first.child.pid}. ` +
        'Stop that one, or give another --data-dir.\n',
    })
    await kill(first, 'SIGKILL')
    await serve(['--data-dir', dataDir])
  })

  it('that a newer version has written is refused, and stays as it is', async () => {
    const dataDir = temporaryFolder()
    const format = '{"format":"logweir","version":5}'
    writeFileSync(join(dataDir, 'format.json'), format)
    mkdirSync(join(dataDir, 'journal'))
    const { code, said } = await refusal(dataDir)
    expect([code, said]).toEqual([1, expect.stringContaining('has format 5, written by a newer logweir')])
    expect(readdirSync(dataDir).sort()).toEqual(['format.json', 'journal'])
    expect(readFileSync(join(dataDir, 'format.json'), 'utf8')).toBe(format)
  })

  it.each(['SIGTERM', 'SIGKILL'] as const)('has all rows again after %s', async (signal) => {
    const args = ['--data-dir', temporaryFolder()]
    for (const life of [0, 1]) {
      const service = await serve(args)
      await write(service, life * 500, (life + 1) * 500)
      expect(await kill(service, signal)).toBe(signal === 'SIGTERM' ? 0 : signal)
    }
    const last = await serve(args)
    expect(await allNumbers(last, START_US)).toEqual([...Array(1000).keys()])
  })

  it('that is damaged is served as far as it is whole, and the damage is told', async () => {
    const dataDir = temporaryFolder()
    const first = await serve(['--data-dir', dataDir])
    await write(first, 0, 100)
    await write(first, 100, 200)
    await kill(first, 'SIGKILL')
    const path = join(dataDir, 'journal/edge_logs-00000001.log')
    const bytes = readFileSync(path)
    bytes[5000]! ^= 1
    writeFileSync(path, bytes)
    const second = await serve(['--data-dir', dataDir])
    expect(second.stderrText()).toMatch(
      /journal\/edge_logs-00000001\.log is damaged: \d+ bytes at offset 4160 are skipped/,
    )
    expect(await second.metric('logweir_journal_damaged_bytes_total')).toBeGreaterThan(0)
    const numbers = await allNumbers(second, START_US)
    expect(numbers.length).toBeGreaterThanOrEqual(100)
    expect(numbers.length).toBeLessThan(200)
    expect(numbers).toContain(199)
  })

  it('that a kill has left with an incomplete last write has no damage', async () => {
    const dataDir = temporaryFolder()
    const first = await serve(['--data-dir', dataDir])
    await write(first, 0, 100)
    await kill(first, 'SIGKILL')
    const path = join(dataDir, 'journal/edge_logs-00000001.log')
    // The first bytes of a frame, left by a killed append.
    appendFileSync(path, readFileSync(path).subarray(4160, 4180))
    const second = await serve(['--data-dir', dataDir])
    expect(second.stderrText()).toContain('the last write of the killed process was incomplete (20 bytes')
    expect(second.stderrText()).not.toContain('damaged')
    expect(await second.metric('logweir_journal_damaged_bytes_total')).toBe(0)
    expect(await allNumbers(second, START_US)).toEqual([...Array(100).keys()])
  })

  it('with a damaged segment is served without it, and the query that finds the damage is answered', async () => {
    const dataDir = temporaryFolder()
    // Heads of 48 KiB, so that some rows are in segments and some in journals.
    const args = ['--data-dir', dataDir, '--memory-limit', '1536K']
    const first = await serve(args)
    for (let number = 0; number < 2000; number += 100) await write(first, number, number + 100)
    await kill(first, 'SIGTERM')
    const cold = readdirSync(join(dataDir, 'segments'), { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('cold.arrow'),
    )
    expect(cold.length).toBeGreaterThan(0)
    const path = join(dataDir, 'segments', cold[0]!)
    const bytes = readFileSync(path)
    bytes[bytes.length >> 1]! ^= 1
    writeFileSync(path, bytes)
    const second = await serve(args)
    const numbers = await allNumbers(second, START_US)
    expect(numbers.length).toBeGreaterThan(0)
    expect(numbers.length).toBeLessThan(2000)
    expect(await second.metric('logweir_damaged_segments_total')).toBe(1)
    expect(second.stderrText()).toMatch(/cold\.arrow is damaged: batch \d+ does not match its checksum/)
    expect(readFileSync(path).equals(bytes)).toBe(true)
  })
})
