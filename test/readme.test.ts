import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { SOURCES } from '../src/common/sources.js'
import { GENERATE_SETTINGS } from '../src/config/generate-settings.js'
import { SERVE_SETTINGS } from '../src/config/serve-settings.js'
import { fileNameOf, flagOf, type Settings, variableOf } from '../src/config/setting.js'
import { ENDPOINTS } from '../src/endpoints/index.js'
import { projectRef, TOP_RANK } from '../src/generate/values/projects.js'

const fileOf = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
const readme = fileOf('README.md')
const performance = fileOf('docs/performance.md')

/** Returns the cells of the table under a heading line. */
function tableUnder(text: string, heading: string): string[][] {
  const after = text.slice(text.indexOf(heading)).split('\n')
  const rows = after.slice(
    2,
    after.findIndex((line, i) => i > 1 && !line.startsWith('|')),
  )
  return rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

const code = (text: string) => (text === '' ? '' : `\`${text}\``)

describe('README', () => {
  it('names the largest project of the records that it has made', () => {
    expect(readme).toContain(
      `the largest project is then \`${projectRef(Number(GENERATE_SETTINGS.seed.default), TOP_RANK)}\``,
    )
  })

  it('lists every setting as the program knows it', () => {
    const expected = Object.entries<Settings[string]>(SERVE_SETTINGS).map(([name, { meaning, ...setting }]) => [
      setting.flag === false ? '' : code(`${flagOf(name)} ${setting.type.placeholder}`.trim()),
      code(variableOf(name, setting)),
      setting.file === false ? '' : code(fileNameOf(name)),
      code(setting.default ?? ''),
      meaning,
    ])
    expect(tableUnder(readme, '| flag | variable')).toEqual(expected)
  })

  it('lists the sources and the endpoints with their parameters', () => {
    expect(tableUnder(readme, '| source | alias')).toEqual(SOURCES.map(({ name, alias }) => [code(name), code(alias)]))
    const endpoints = tableUnder(readme, '| endpoint | answers')
    expect(endpoints.map(([name]) => name)).toEqual(ENDPOINTS.map(({ name }) => code(name)))
    ENDPOINTS.forEach(({ params }, i) => {
      for (const param of Object.keys(params)) expect(endpoints[i]![2]).toContain(code(param))
    })
  })

  it('has the figures of docs/performance.md', () => {
    const onOneCore = tableUnder(performance, '| what | rows | cores | unit | goal').filter(
      ([, , cores]) => cores === '1',
    )
    const figures = new Map(onOneCore.map(([what, , , unit, , ...more]) => [what, more.map((one) => `${one} ${unit}`)]))
    const expected = FIGURES.map((names) => [0, 1].map((i) => names.map((name) => figures.get(name)![i]).join(', ')))
    expect(tableUnder(readme, '| what | logweir | the better').map(([, ...cells]) => cells)).toEqual(expected)
  })
})

/** The lines of docs/performance.md that each row of the README's table shows. */
const FIGURES = [
  ['logs.all, newest 100, top: later'],
  ['functions.invocation-stats 7day, top: first', 'functions.invocation-stats 7day, top: later'],
  ['usage.api-counts daily, top: first', 'usage.api-counts daily, top: later'],
  ['full edge_logs, in memory: rate', 'full edge_logs, on disk: rate'],
]
