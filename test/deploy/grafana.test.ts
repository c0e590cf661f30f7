import { describe, expect, it } from 'vitest'
import { textOf } from './files.js'
import { unknownNames } from './promql.js'

interface Panel {
  id: number
  type: string
  title: string
  gridPos: { x: number; y: number; w: number; h: number }
  datasource?: unknown
  targets?: { expr: string; legendFormat: string; refId: string; datasource: unknown }[]
}

const COLUMNS = 24
// biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of Grafana
const DATASOURCE = { type: 'prometheus', uid: '${datasource}' }

const dashboard = JSON.parse(textOf('deploy/grafana/logweir.json'))
const PANELS: Panel[] = dashboard.panels
const CHARTS = PANELS.filter(({ type }) => type !== 'row')
const VARIABLES: { name: string; type: string; query: string | { query: string } }[] = dashboard.templating.list

/** Returns every grid cell that a panel covers, as `x,y`. */
const cellsOf = ({ gridPos: { x, y, w, h } }: Panel): string[] =>
  Array.from({ length: w * h }, (_, i) => `${x + (i % w)},${y + Math.floor(i / w)}`)

/** Replaces Grafana's own variables with values, as Grafana does before sending a query. */
const filledIn = (expression: string) => expression.replaceAll('$__rate_interval', '5m')

describe('deploy/grafana/logweir.json', () => {
  it('has the form that Grafana imports', () => {
    expect(dashboard).toMatchObject({ id: null, uid: 'logweir', title: 'logweir', schemaVersion: 39 })
    expect(dashboard.time).toEqual({ from: 'now-6h', to: 'now' })
    expect(new Set(PANELS.map(({ id }) => id)).size).toBe(PANELS.length)
    expect(CHARTS.length).toBeGreaterThan(10)
    for (const { type } of PANELS) expect(['row', 'stat', 'timeseries']).toContain(type)
  })

  it('has panels beside and below each other', () => {
    const cells = PANELS.flatMap(cellsOf)
    expect(new Set(cells).size).toBe(cells.length)
    expect(PANELS.filter(({ gridPos: { x, w } }) => x < 0 || x + w > COLUMNS)).toEqual([])
  })

  it('lets the data source be chosen, and asks nothing of another', () => {
    expect(VARIABLES[0]).toMatchObject({ name: 'datasource', type: 'datasource', query: 'prometheus' })
    for (const { datasource, targets } of CHARTS) {
      expect(datasource).toEqual(DATASOURCE)
      for (const target of targets!) expect(target.datasource).toEqual(DATASOURCE)
    }
  })

  it('uses variables that it has', () => {
    const used = [...JSON.stringify(PANELS).matchAll(/\$\{?(\w+)/g)].map(([, name]) => name!)
    expect([...new Set(used)].sort()).toEqual(['__rate_interval', ...VARIABLES.map(({ name }) => name)].sort())
    for (const { query } of VARIABLES.slice(1)) {
      const [, metric, label] = /^label_values\((\w+), (\w+)\)$/.exec((query as { query: string }).query)!
      expect(unknownNames(metric!, [label!])).toEqual([])
    }
  })

  it.each(CHARTS.map((panel) => [panel.title, panel] as const))('"%s" asks for what there is', (_, { targets }) => {
    expect(targets).not.toEqual([])
    expect(new Set(targets!.map(({ refId }) => refId)).size).toBe(targets!.length)
    for (const { expr, legendFormat } of targets!) {
      const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label!)
      expect(unknownNames(filledIn(expr), shown)).toEqual([])
    }
  })
})
