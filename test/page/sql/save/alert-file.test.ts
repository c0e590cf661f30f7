import { describe, expect, it } from 'vitest'
import { readRuleMatter } from '../../../../src/alerts/rules/front-matter.js'
import { labelsText } from '../../../../src/page/shared/labels-text.js'
import { titleOf } from '../../../../src/page/shell/alert-badge.js'
import { type AlertFields, alertFile, draftOf, fieldProblem } from '../../../../src/page/sql/save/alert-file.js'

const QUERY = 'select project, count(*) as n\nfrom edge_logs\ngroup by project'
const SECOND_US = 1e6

describe('the file of an alert rule', () => {
  it('has the fields above the query, as the service reads them', () => {
    const draft = draftOf(QUERY)
    const fields = { every: '30s', for: '2m', severity: 'critical', notify: 'ops', labels: 'project' }
    const text = alertFile({ ...draft, fields })
    expect(text).toBe(`-- alert: every 30s, for 2m, notify ops\n-- severity: critical\n-- labels: project\n${QUERY}\n`)
    const { timing, notify, severity, labels } = readRuleMatter(text)
    expect([timing.everyUs, timing.forUs, notify, severity, labels?.value]).toEqual([
      ...[30 * SECOND_US, 120 * SECOND_US, 'ops', 'critical', 'project'],
    ])
  })

  it('leaves out what is empty', () => {
    const fields = { every: '1m', for: '', severity: '', notify: '', labels: '' }
    expect(alertFile({ ...draftOf(QUERY), fields })).toBe(`-- alert: every 1m\n${QUERY}\n`)
  })

  it('says that a query of a single row has no labels', () => {
    const text = alertFile({ ...draftOf(QUERY), fields: { ...draftOf(QUERY).fields, labels: '-' } })
    expect(text).toBe(`-- alert: every 1m\n-- severity: warning\n-- labels:\n${QUERY}\n`)
    expect(readRuleMatter(text).labels?.value).toBe('')
    expect(alertFile(draftOf(text))).toBe(text)
  })

  it('keeps the first comment as the summary, and comments like settings as comments', () => {
    const draft = draftOf(`-- Paths that fail.\n-- name: x\n-- cache: short\n${QUERY}`)
    const text = alertFile(draft)
    expect(text).toBe(
      `-- Paths that fail.\n-- alert: every 1m\n-- severity: warning\n# name: x\n# cache: short\n${QUERY}\n`,
    )
    expect(readRuleMatter(text).summary).toBe('Paths that fail')
  })

  it('is the same if the query was the text of a rule', () => {
    const rule = [
      ...['-- Failures.', '-- alert: every 30s, for 2m, keep firing 5m, notify ops', '-- severity: critical'],
      ...['-- labels: project', '-- text: {project} fails: {n}', '-- muted: until 2026-12-01T08:00Z, later'],
      ...[QUERY, ''],
    ]
    const draft = draftOf(rule.join('\n'))
    expect(draft.fields).toEqual({
      ...{ every: '30s', for: '2m', severity: 'critical', notify: 'ops', labels: 'project' },
    })
    const before = readRuleMatter(rule.join('\n'))
    const after = readRuleMatter(alertFile(draft))
    for (const key of ['timing', 'notify', 'severity', 'muted', 'summary'] as const)
      expect(after[key], key).toEqual(before[key])
    expect([after.labels?.value, after.text?.value]).toEqual([before.labels?.value, before.text?.value])
  })

  it('is not made of wrong fields', () => {
    const right: AlertFields = { every: '1m', for: '', severity: 'warning', notify: '', labels: '' }
    const fieldOf = (name: string, fields: Partial<AlertFields>) => fieldProblem(name, { ...right, ...fields })?.field
    expect(fieldOf('my-alert', {})).toBeUndefined()
    expect(fieldOf('my alert', {})).toBe('name')
    expect(fieldOf('a', { every: '' })).toBe('every')
    expect(fieldOf('a', { every: '1m, notify x' })).toBe('every')
    expect(fieldOf('a', { for: 'soon' })).toBe('for')
    expect(fieldOf('a', { severity: 'very bad' })).toBe('severity')
    expect(fieldOf('a', { notify: 'a,b' })).toBe('notify')
    expect(fieldOf('a', { labels: 'project,' })).toBe('labels')
    expect(fieldOf('a', { labels: 'project, path' })).toBeUndefined()
    expect(fieldOf('a', { labels: '-' })).toBeUndefined()
  })
})

it('labels have different texts if they differ', () => {
  expect(labelsText({ b: '2', a: '1' })).toBe('a=1, b=2')
  expect(labelsText({ a: '1, b=2' })).toBe('a="1, b=2"')
})

it('the badge says which rules fire', () => {
  expect(titleOf([{ rule: 'slow' }])).toBe('1 alert fires: slow')
  expect(titleOf(['errors', 'slow', 'errors'].map((rule) => ({ rule })))).toBe('3 alerts fire: errors (2), slow')
  const many = Array.from({ length: 12 }, (_, i) => ({ rule: `r${i}` }))
  expect(titleOf(many)).toMatch(/^12 alerts fire: r0, .*r9 and 2 more rules$/)
})
