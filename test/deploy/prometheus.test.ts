import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { textOf } from './files.js'
import { readExpression, seriesOf, unknownNames } from './promql.js'

interface Rule {
  alert: string
  expr: string
  for?: string
  labels: { severity: string }
  annotations: { summary: string; description: string }
}

const RULES: Rule[] = parse(textOf('deploy/prometheus/alerts.yml')).groups[0].rules
const shownIn = ({ annotations: { summary, description } }: Rule) =>
  [...`${summary} ${description}`.matchAll(/\$labels\.(\w+)/g)].map(([, label]) => label!)

describe('a PromQL expression', () => {
  it('is read with its metrics, labels and groupings', () => {
    expect(readExpression('sum by (a, b) (rate(x_total{c="1",d=~"2"}[5m])) / on (a) y > 0')).toEqual({
      selectors: [
        { metric: 'x_total', labels: ['c', 'd'] },
        { metric: 'y', labels: [] },
      ],
      groupings: ['a', 'b', 'a'],
    })
  })

  it.each(['sum by (a (x)', 'rate(x[5m]', 'x{a=}', 'x +', 'x y'])('is refused: %s', (expression) => {
    expect(() => readExpression(expression)).toThrow('no PromQL')
  })

  it('is found to name what no scrape gives', () => {
    expect(unknownNames('logweir_rowz + logweir_rows{tier="hot"}', ['source', 'limit'])).toEqual([
      'logweir_rowz',
      'tier',
      'limit',
    ])
    expect(unknownNames('sum by (reason) (logweir_query_duration_seconds)')).toEqual([
      'logweir_query_duration_seconds',
      'reason',
    ])
    expect(seriesOf().get('logweir_query_duration_seconds_bucket')).toEqual(
      expect.arrayContaining(['endpoint', 'cache', 'le', 'instance']),
    )
  })
})

describe('deploy/prometheus/alerts.yml', () => {
  it('has rules, each by its own name', () => {
    expect(RULES.length).toBeGreaterThan(5)
    expect(new Set(RULES.map(({ alert }) => alert)).size).toBe(RULES.length)
  })

  it.each(RULES.map((rule) => [rule.alert, rule] as const))('%s names metrics and labels that there are', (_, rule) => {
    expect(unknownNames(rule.expr, shownIn(rule))).toEqual([])
    expect(rule.for ?? '1m').toMatch(/^\d+[smh]$/)
    expect(['critical', 'warning', 'info']).toContain(rule.labels.severity)
    expect(Object.keys(rule).filter((key) => !['alert', 'expr', 'for', 'labels', 'annotations'].includes(key))).toEqual(
      [],
    )
  })
})
