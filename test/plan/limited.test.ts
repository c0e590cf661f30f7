import { describe, expect, it } from 'vitest'
import { equals } from '../../src/plan/builder.js'
import { limited } from '../../src/plan/limited.js'
import type { Plan } from '../../src/plan/plan.js'

const PLAN: Plan = [
  { op: 'scan', sources: ['edge_logs'], fromUs: 0, throughUs: 9 },
  { op: 'filter', where: equals('project', 'a') },
]
const limit = (rows: number, offset = 0) => ({ op: 'limit', rows, offset }) as const

describe('limited', () => {
  it.each<[what: string, plan: Plan, expected: Plan]>([
    ['adds a limit', PLAN, [...PLAN, limit(10)]],
    ['lowers a larger limit, and keeps its offset', [...PLAN, limit(11, 7)], [...PLAN, limit(10, 7)]],
    ['keeps a smaller limit', [...PLAN, limit(3, 7)], [...PLAN, limit(3, 7)]],
    ['keeps a limit before other operators', [limit(20), ...PLAN], [limit(20), ...PLAN, limit(10)]],
    ['keeps the empty plan', [], []],
  ])('%s', (_, plan, expected) => {
    expect(limited(plan, 10)).toEqual(expected)
  })
})
