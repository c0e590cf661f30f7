import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const textOf = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
const docs = textOf('docs/performance.md')
const peers = textOf('docs/performance/peers.md')
/** Plain JavaScript without types, which no test is compiled against. */
const { eventsTable, fieldsTable, table } = await import(new URL('../bench/peers/table.mjs', import.meta.url).href)
const { goalsTable } = await import(new URL('../bench/peers/goals.mjs', import.meta.url).href)
const { exploreTable } = await import(new URL('../bench/explore-table.mjs', import.meta.url).href)
const { digestTable } = await import(new URL('../bench/digest-table.mjs', import.meta.url).href)
const { logChart } = await import(new URL('../bench/plot.mjs', import.meta.url).href)

describe('docs/performance.md', () => {
  it('shows the last result of bench:peers', () => {
    const result = JSON.parse(textOf('bench/results/peers.json'))
    expect(peers).toContain(table(result))
    expect(peers).toContain(fieldsTable(result))
    expect(peers).toContain(eventsTable(result))
    expect(docs).toContain(goalsTable(result))
  })

  it('shows the last result of the digest bench', () => {
    expect(docs).toContain(digestTable(JSON.parse(textOf('bench/results/digest.json'))))
  })

  it('shows the last result of the explore bench', () => {
    expect(docs).toContain(exploreTable(JSON.parse(textOf('bench/results/explore.json'))))
  })

  it('shows plots that are there', () => {
    const plots = [...docs.matchAll(/!\[[^\]]+\]\((performance\/[a-z-]+\.svg)\)/g)]
    expect(plots.length).toBe(3)
    for (const [, path] of plots) expect(textOf(`docs/${path}`)).toMatch(/^<svg .*<\/svg>\n$/s)
  })
})

describe('the table of bench:peers', () => {
  const line = { what: 'stats', figure: 'first', rows: 1_000_000, cores: 1, unit: 'ms' }
  const engines = { logweir: { median: 2 }, 'DuckDB memory': { median: 10 }, ClickHouse: { median: 5 } }

  it('tells how many times better logweir is than the best of the others', () => {
    const rows = table({
      lines: [
        { ...line, best: 'least', engines },
        { ...line, best: 'most', engines },
      ],
    }).split('\n')
    expect(rows.slice(2)).toEqual([
      '| stats: first | 1,000,000 | 1 | ms | 2 | 10 | – | 5 | 2.5× |',
      '| stats: first | 1,000,000 | 1 | ms | 2 | 10 | – | 5 | 0.2× |',
    ])
  })

  it('has the lines about fields and events apart, with a column for each form of metadata', () => {
    const forms = { logweir: { median: 2 }, 'ClickHouse JSON': { median: 1 }, 'ClickHouse String': { median: 9 } }
    const result = { lines: [{ ...line, bench: 'fields', best: 'least', engines: forms }] }
    expect(table(result).split('\n').length).toBe(2)
    expect(eventsTable(result).split('\n').length).toBe(2)
    expect(fieldsTable(result).split('\n').slice(2)).toEqual([
      '| stats: first | 1,000,000 | 1 | ms | 2 | – | – | 1 | 9 | 0.5× |',
    ])
  })
})

describe('the table of goals', () => {
  it('has dashes for what was not measured', () => {
    const rows: string[] = goalsTable({ lines: [] }).split('\n').slice(2)
    expect(rows).toContain('| logs.all, newest 100, top: later | 10,000,000 | 1 |  | 0.3 | – | – | – |')
    expect(rows).toContain('| full edge_logs, in memory: rate | 1,000,000 | 1 |  | – | – | – | – |')
  })
})

describe('a chart', () => {
  it('has its points where their logarithms are, and escapes names', () => {
    const points = [
      [1, 1],
      [10, 10],
      [100, 100],
    ]
    const svg: string = logChart({ title: 'a<b & c', xName: 'x', yName: 'y', series: [{ name: 's', points }] })
    expect(svg).toContain('a&lt;b &amp; c')
    const circles = [...svg.matchAll(/cx="([\d.]+)" cy="([\d.]+)"/g)].map(([, x, y]) => [Number(x), Number(y)])
    expect(circles.length).toBe(3)
    const middle = (i: number) => (circles[0]![i]! + circles[2]![i]!) / 2
    expect(circles[1]![0]).toBeCloseTo(middle(0), 0)
    expect(circles[1]![1]).toBeCloseTo(middle(1), 0)
  })
})
