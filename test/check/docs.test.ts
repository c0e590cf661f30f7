import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { TEXT } from '../../src/check/findings/format.js'
import { mulberry32 } from '../support/random.js'
import { check } from './checked.js'
import { filesWith, makeSample } from './sample.js'

const text = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8')
const [, shown] = /^```text\n(fault: [\s\S]*?)^```$/m.exec(text)!

/** Replaces the parts that differ from directory to directory: numbers, times, and names of sources. */
const shapeOf = (lines: string) => lines.replaceAll(/\d[\d,.:TZ-]*/g, '0').replaceAll(/[a-z_]+_logs/g, 'SOURCE')

it('docs/operations.md shows what a check of a damaged directory prints', async () => {
  const { contents, units } = await makeSample(mulberry32(6), 1000)
  const [one, other] = ['edge_logs', 'function_edge_logs'].map((source) => `segments/${source}/2026-11-25/00000001-0`)
  const journals = ['auth', 'postgres'].map((name) => `journal/${name}_logs-00000001.log`)
  const frames = units.filter(({ path }) => path === journals[1])
  const damaged = new Map(contents)
  const flip = (path: string, at: number) => {
    const bytes = Buffer.from(damaged.get(path)!)
    bytes[at]! ^= 1
    damaged.set(path, bytes)
  }
  flip(journals[1]!, frames[1]!.start + 30)
  flip(`${one}/cold.arrow`, 3000)
  damaged.set('journal/edge_logs-00000002.log', contents.get('journal/edge_logs-00000002.log')!.subarray(0, -50))
  for (const name of ['hot.arrow', 'cold.arrow'])
    damaged.set(`${other!.replace('1-0', '9-0')}/${name}`, contents.get(`${other}/${name}`)!)
  const { findings, totals } = await check(filesWith(damaged))
  const printed = findings.map((finding) => TEXT.finding(finding)).join('') + TEXT.summary(totals)
  const sorted = (lines: string) => shapeOf(lines).trimEnd().split('\n').sort()
  expect(sorted(printed)).toEqual(sorted(shown!))
})
