import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { MIB } from '../../../src/base/units.js'
import { run, temporaryFolder } from '../support/program.js'

/** Inputs above 8 MiB, whose later blocks threads read. */

const PAD = 'x'.repeat(1000)
const COUNT = 30_000
const line = (a: number | string, more = {}) => `${JSON.stringify({ a, pad: PAD, ...more })}\n`

function fileOf(content: string | Uint8Array): string {
  const path = join(temporaryFolder(), 'many')
  writeFileSync(path, content)
  return path
}

/** Runs `logweir lines`, and returns the exit code and the output as texts. */
async function lines(sql: string, path: string) {
  const { code, stdout, stderr } = await run(['lines', sql, path])
  return [code, stdout.toString(), stderr]
}

it('tell every line that is no row, and every time that is none, once', async () => {
  const odd = [
    '[]\n',
    '{"a":\n',
    `{"a":0,"pad":"${PAD.repeat(1100)}"}\n`,
    `{"a":0,"pad":"${PAD.repeat(2200)}"}\n`,
    `{"a":${'['.repeat(200)}${']'.repeat(200)}}\n`,
    line(0, { time: 'none' }),
  ]
  const content = Array.from({ length: COUNT }, (_, i) => line(1, { time: 1 }) + (i % 1000 === 0 ? odd.join('') : ''))
  const path = fileOf(content.join(''))
  const rows = COUNT + 30
  const [code, text, told] = await lines('select count(*) as n, sum(a) as s, count(timestamp) as t from lines', path)
  expect([code, text]).toEqual([0, `{"n":${rows},"s":${COUNT},"t":${COUNT}}\n`])
  const sentences = (told as string).trimEnd().split('\n').sort()
  expect(sentences).toEqual([
    'logweir: 30 lines left out: nested too deep.',
    'logweir: 30 lines left out: no JSON object.',
    'logweir: 30 lines left out: no JSON.',
    'logweir: 30 lines without a timestamp: the value is no time.',
    'logweir: 60 lines left out: longer than 1 MiB.',
  ])
})

it('know the field of the time that comes first behind 10 MiB', async () => {
  const early = line(1).repeat(Math.ceil((10 * MIB) / line(1).length))
  const path = fileOf(early + line(2, { ts: 0, _time: 1_795_168_800 }).repeat(COUNT) + line(3, { _time: 0 }))
  const sql = 'select a, timestamp, count(*) as n from lines group by a, timestamp order by a'
  const count = early.length / line(1).length
  expect(await lines(sql, path)).toEqual([
    0,
    `{"a":1,"timestamp":null,"n":${count}}\n{"a":2,"timestamp":0,"n":${COUNT}}\n{"a":3,"timestamp":null,"n":1}\n`,
    '',
  ])
})

it('pass on the error of a row, behind the rows before', async () => {
  const path = fileOf(line('1').repeat(COUNT) + line('x') + line('2').repeat(COUNT))
  const [code, text, told] = await lines('select cast(a as int64) as n from lines', path)
  expect(code).toBe(1)
  expect('{"n":1}\n'.repeat(COUNT).startsWith(text as string)).toBe(true)
  expect((text as string).length).toBeGreaterThan(COUNT)
  expect(told).toMatch(/^logweir: A value cannot be cast to int64: .* \(line 1, column 8\)\n$/)
  const grouped = await lines('select sum(cast(a as int64)) as n from lines', path)
  expect(grouped).toEqual([1, '', (told as string).replace('column 8', 'column 12')])
})

it('print no groups of a damaged file, and the rows before', async () => {
  const whole = gzipSync(line(1).repeat(COUNT), { level: 1 })
  const path = fileOf(whole.subarray(0, -5))
  const [code, text, told] = await lines('select count(*) as n from lines', path)
  expect([code, text]).toEqual([1, ''])
  expect(told).toContain('is a damaged gzip file, near byte ')
  const rows = await lines('select a from lines', path)
  expect([rows[0], rows[2]]).toEqual([1, told])
  expect('{"a":1}\n'.repeat(COUNT).startsWith(rows[1] as string)).toBe(true)
  expect((rows[1] as string).length).toBeGreaterThan(4 * COUNT)
})
