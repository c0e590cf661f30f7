import { describe, expect, it } from 'vitest'
import { DAY_US, HOUR_US } from '../../../../src/base/units.js'
import { dueProjects } from '../../../../src/engine/store/removal/due-projects.js'
import { createStore } from '../../../../src/engine/store/tables/store.js'
import { toBatch } from '../../../support/batch.js'
import { edge } from '../../../support/records.js'
import { createTestSealer } from '../../../support/sealer.js'

const DAY = 100
const AT_US = DAY * DAY_US + HOUR_US

/** Returns the due rows of a segment with a row of each project, given the time through which each may be removed. */
async function dueOf(edges: readonly (readonly [project: string | null, throughUs: number])[]) {
  const store = createStore({ sealRows: edges.length, sealBytes: 1e9, sealer: createTestSealer() })
  const records = edges.map(([project], i) => edge({ id: `${i}`, timestampUs: AT_US, project }))
  await store.append(toBatch('edge_logs', records))
  await store.settled()
  const [segment] = store.segments()
  const throughUs = (project: string | undefined) => edges.find(([one]) => one === (project ?? null))![1]
  const due = dueProjects(segment!, await segment!.readProjects(), throughUs)
  await store.close()
  return due
}

const [PAST_US, DAY_OVER_US] = [AT_US - HOUR_US, (DAY + 1) * DAY_US]

describe('the rows of a segment that are to be removed', () => {
  it.each([
    ['none before the newest row is past', [['a', PAST_US]], 'none', HOUR_US],
    [
      'all once the newest row is past for all',
      [
        ['a', AT_US],
        ['b', AT_US],
      ],
      'all',
      0,
    ],
    [
      'none while a project has days to come',
      [
        ['a', AT_US],
        ['b', PAST_US],
      ],
      'none',
      HOUR_US,
    ],
    [
      'some once the day is over for a project',
      [
        ['a', DAY_OVER_US],
        ['b', PAST_US],
      ],
      'some',
      HOUR_US,
    ],
    [
      'not those of an empty name with a longer time',
      [
        ['', PAST_US],
        [null, DAY_OVER_US],
      ],
      'some',
      HOUR_US,
    ],
    [
      'not those without a project with a longer time',
      [
        [null, PAST_US],
        ['', DAY_OVER_US],
      ],
      'some',
      HOUR_US,
    ],
  ] as const)('are %s', async (_, edges, due, nextInUs) => {
    expect(await dueOf(edges)).toEqual({ due, nextInUs })
  })
})
