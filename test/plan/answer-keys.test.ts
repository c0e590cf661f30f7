import { describe, expect, test } from 'vitest'
import { answerKeys, hasGrouping, isOrdered } from '../../src/plan/answer-keys.js'
import { limited } from '../../src/plan/limited.js'
import { planOf } from '../sql/queries.js'

const MAX_ROWS = 1_000
const keysIn = (sql: string) => answerKeys(limited(planOf(sql), MAX_ROWS), MAX_ROWS)
const BY_PATH = 'request.path, count(*) as n from edge_logs'

describe('the columns that tell the rows of an answer apart', () => {
  test.each<[string, readonly string[] | undefined]>([
    [`select ${BY_PATH} group by path`, ['path']],
    [`select count(*) as n, request.path as p, id as q from edge_logs group by p, q`, ['p', 'q']],
    [`select ${BY_PATH} group by path having n > 1`, ['path']],
    [`select ${BY_PATH} group by path order by path desc`, ['path']],
    [`select ${BY_PATH} group by 1 order by 1`, ['path']],
    [`select project, ${BY_PATH} group by 1, 2 order by path, project`, ['project', 'path']],
    [`select ${BY_PATH} group by path having path in (select id from auth_logs)`, ['path']],
    [`select timestamp_trunc(timestamp, hour) as hour, count(*) as n from edge_logs group by hour`, ['hour']],
    [`select path, n * 2 as m from (select ${BY_PATH} group by path)`, ['path']],
    [`select path, count(*) as m from (select ${BY_PATH} group by path limit 3) group by path`, ['path']],
    ['select distinct project, id from edge_logs', ['project', 'id']],
    // Twice the same key: one of the columns is enough.
    ['select project as a, project as b, count(*) as n from edge_logs group by project', ['a']],
    // No key, or one that is not selected, or not as it is.
    ['select count(*) as n from edge_logs', undefined],
    ['select count(*) as n from edge_logs group by project', undefined],
    ['select upper(project) as p, count(*) as n from edge_logs group by project', undefined],
    ['select id, project from edge_logs', undefined],
    [`select ${BY_PATH} group by path union all select ${BY_PATH} group by path`, undefined],
    // Another order, or a choice of rows.
    [`select ${BY_PATH} group by path order by n`, undefined],
    [`select ${BY_PATH} group by path order by path, count(*)`, undefined],
    [`select ${BY_PATH} group by path limit 5`, undefined],
    [`select ${BY_PATH} group by path order by path limit 5 offset 1`, undefined],
    [`select * from (select ${BY_PATH} group by path limit 5)`, undefined],
    [`select path, e from (select ${BY_PATH} group by path), unnest(split(path, '/')) as e`, undefined],
  ])('%s', (sql, keys) => expect(keysIn(sql)).toEqual(keys))
})

test('a plan groups rows at the top, or in each part of a union', () => {
  expect(hasGrouping(planOf('select count(*) as n from edge_logs'))).toBe(true)
  expect(hasGrouping(planOf(`select ${BY_PATH} group by path union all select id, 1 from auth_logs`))).toBe(true)
  expect(hasGrouping(planOf('select id from edge_logs where id in (select max(id) from auth_logs)'))).toBe(false)
})

test('the order of an answer is the one behind the last grouping', () => {
  expect(isOrdered(planOf('select id from edge_logs order by id'))).toBe(true)
  expect(isOrdered(planOf('select id from edge_logs'))).toBe(false)
  expect(
    isOrdered(planOf('select id, count(*) as n from (select id from edge_logs order by id limit 9) group by id')),
  ).toBe(false)
})
