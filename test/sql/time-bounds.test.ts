import { expect, it } from 'vitest'
import { readSql } from '../../src/sql/read-sql.js'

const select = (where: string, more = '') => `select project, count(*) as n from edge_logs e where ${where} ${more}`

it.each([
  [true, select('timestamp >= timestamp_sub(current_timestamp(), interval 5 minute)')],
  [true, select('e.timestamp >= current_timestamp() - interval 5 minute and project = "a"')],
  [true, select('current_timestamp() - interval 1 hour - interval 5 minute < timestamp')],
  [true, select('timestamp between timestamp_sub(current_timestamp(), interval 2 day) and current_timestamp()')],
  [true, select('project = "a"')],
  [true, 'select n from (select count(*) as n from edge_logs where timestamp > current_timestamp())'],
  [false, select('timestamp >= timestamp_sub(current_timestamp(), interval 5 minute)', 'or project = "a"')],
  [false, select('timestamp >= timestamp_trunc(current_timestamp(), hour)')],
  [false, select('timestamp >= timestamp_sub(current_timestamp(), interval 1 + 1 minute)')],
  [false, select('timestamp >= current_timestamp() and current_timestamp() > timestamp "2026-11-28"')],
  [false, select('timestamp >= current_datetime()')],
  [false, select('date(timestamp) >= current_date()')],
  [false, select('project = "a"', 'having max(timestamp) >= current_timestamp()')],
  [false, 'select current_timestamp() as now from edge_logs'],
  [false, 'with t as (select * from edge_logs) select id from t where timestamp >= current_timestamp()'],
  [false, 'select id from (select * from edge_logs) where timestamp >= current_timestamp()'],
  [false, select('project in (select project from auth_logs where unix_seconds(current_timestamp()) = 1)')],
  [true, select('project in (select project from auth_logs where timestamp > current_timestamp())')],
])('says %s whether the time is only a bound: %s', (isBound, text) => {
  expect(readSql(text).readsTimeAsBound).toBe(isBound)
})
