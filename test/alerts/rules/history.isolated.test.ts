import { expect, it } from 'vitest'
import { ruleOf } from '../../../src/alerts/rules/rule.js'
import { registerSource } from '../../../src/common/sources.js'
import { readSql } from '../../../src/sql/read-sql.js'

it('refuses a rule that reads the history of alerts, also in a subquery', () => {
  registerSource('alert_events')
  const read = (query: string) => () => ruleOf(`-- alert: every 30s\n${query}`, 'a', readSql, 0)
  const message = 'a rule cannot read alert_events, the history of alerts'
  expect(read('select project, count(*) as n from alert_events group by project')).toThrow(message)
  const inner = 'select id from alert_events'
  expect(read(`select project, count(*) as n from edge_logs where id in (${inner}) group by project`)).toThrow(message)
})
