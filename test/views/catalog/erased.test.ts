import { describe, expect, it } from 'vitest'
import { DAY_US, HOUR_US } from '../../../src/base/units.js'
import type { Deletion } from '../../../src/engine/deletion.js'
import type { LostGroups } from '../../../src/views/catalog/regroup.js'
import { edge } from '../../support/records.js'
import { define, expectView, openWorld, type World } from './world.js'

const TEXT = 'select timestamp_trunc(timestamp, hour) as hour, count(*) as n from edge_logs group by hour'
const KEEP_US = 30 * DAY_US

/** Deletes all rows of a project, in the order of a service. Returns the groups that were lost. */
async function deleteProject({ engine, views }: World, project: string): Promise<readonly LostGroups[]> {
  const { signal } = new AbortController()
  const heads = await engine.deleting.closeHeads(['edge_logs'], project)
  const deletion: Deletion = {
    ...{ id: `d-${project}`, project, fromUs: Number.NEGATIVE_INFINITY, throughUs: Number.POSITIVE_INFINITY },
    sources: new Map([...heads].map(([source, lastHead]) => [source, { lastHead, where: undefined }])),
  }
  let lost: readonly LostGroups[] = []
  engine.deleting.hide(deletion)
  views.hide(deletion)
  await views.regroup(deletion, { signal, lost, saveLost: async (all) => void (lost = all) })
  await engine.deleting.erase(deletion, signal)
  views.forget(deletion.id)
  return lost
}

describe('the groups of a project whose rows are erased', () => {
  it('go, and no groups of others are lost, also after a segment had no rows left', async () => {
    const world = await openWorld({}, {}, { texts: { v: TEXT }, keepUs: KEEP_US })
    const view = define(TEXT, 'v', KEEP_US)
    const timestampUs = world.clock.nowUs() - DAY_US
    for (const [round, projects] of [['solo'], ['pair', 'other']].entries()) {
      await world.append(projects.map((project) => edge({ id: `${round} ${project}`, project, timestampUs })))
      await world.engine.seal()
    }
    await world.append([edge({ id: 'open', project: 'pair', timestampUs: timestampUs + HOUR_US })])
    await world.work.finish()
    expect(await deleteProject(world, 'solo')).toEqual([])
    expect(world.files.paths().filter((path) => path.endsWith('.emptied'))).toHaveLength(1)
    expect(await deleteProject(world, 'pair')).toEqual([])
    const left = world.records.filter(({ project }) => project === 'other')
    await expectView(world, view, left)
    await world.restart('kill')
    await expectView(world, view, left)
    expect(world.logged).toEqual([])
    await world.close()
  })
})
