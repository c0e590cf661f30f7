import { describe, expect, it } from 'vitest'
import { MAX_DEPTH } from '../../../src/wasm-layout/field-table.js'
import { allRows } from '../support/pages.js'
import { type Served, serve, until } from '../support/program.js'

const PROJECT = 'thedepthofrecordsabc'
const START_US = (Date.now() - 3_600_000) * 1000
const REFUSED_MS = 100
const SAMPLES = 5
const BRACKETS = [
  ['[', ']'],
  ['{"a":', '}'],
] as const

/** Returns a record with `levels` levels in all, including the record itself and the metadata. */
function recordOf(id: string, number: number, levels: number, [open, close]: readonly [string, string]): string {
  const nested = `${open.repeat(levels - 2)}1${close.repeat(levels - 2)}`
  const start = `{"source":"edge_logs","id":"${id}","timestamp":${START_US + number}`
  return `${start},"project":"${PROJECT}","metadata":{"deep":${nested}}}\n`
}

const tooDeep = (service: Served) => service.metric('logweir_rejected_rows_total{reason="too_deep"}')

/** Returns the milliseconds until a written line is counted as rejected. */
async function refusalMs(service: Served, line: string): Promise<number> {
  const before = (await tooDeep(service)) || 0
  const startMs = performance.now()
  service.child.stdin!.write(line)
  await until(
    () => tooDeep(service),
    (count) => count === before + 1,
  )
  return performance.now() - startMs
}

describe('I5: depth', () => {
  it(`I5: takes ${MAX_DEPTH} levels, and refuses one more`, async () => {
    const service = await serve()
    const lines = BRACKETS.flatMap((brackets, i) =>
      [MAX_DEPTH, MAX_DEPTH + 1].map((levels) => recordOf(`${levels} levels`, i, levels, brackets)),
    )
    service.child.stdin!.end(lines.join(''))
    const [, said] = await service.waitForStderr(/standard input ended: (.*)\n/)
    expect(said).toBe('2 rows accepted, 2 rejected (too_deep 2)')
    const rows = await allRows(service, PROJECT)
    expect(rows.map(({ metadata }) => metadata)).toEqual([2, 0].map((i) => JSON.parse(lines[i]!).metadata))
  })

  it(`I5: refuses 100,000 levels within ${REFUSED_MS} ms, unclosed ones too, and goes on`, async () => {
    const service = await serve()
    service.child.stdin!.write(recordOf('first', 0, 3, BRACKETS[0]))
    await until(
      () => allRows(service, PROJECT),
      (rows) => rows.length === 1,
    )
    const lines = BRACKETS.flatMap((brackets) => [
      recordOf('deep', 1, 100_000, brackets),
      `${brackets[0].repeat(100_000)}\n`,
    ])
    for (const line of lines) {
      const samples: number[] = []
      for (let i = 0; i < SAMPLES; i++) samples.push(await refusalMs(service, line))
      const bestMs = Math.min(...samples)
      console.log(`I5 ${line.length} bytes refused in ${bestMs.toFixed(1)} ms at best of ${SAMPLES}`)
      expect(bestMs).toBeLessThanOrEqual(REFUSED_MS)
    }
    service.child.stdin!.end(recordOf('last', 2, 3, BRACKETS[1]))
    const [, said] = await service.waitForStderr(/standard input ended: (.*)\n/)
    expect(said).toBe('2 rows accepted, 20 rejected (too_deep 20)')
    expect((await allRows(service, PROJECT)).map(({ id }) => id)).toEqual(['last', 'first'])
    expect(service.stderrText()).not.toMatch(/RangeError|call stack/i)
  })
})
