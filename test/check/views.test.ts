import { describe, expect, it } from 'vitest'
import { edge } from '../support/records.js'
import { openWorld } from '../views/catalog/world.js'
import { check } from './checked.js'

const TEXT = 'select timestamp_trunc(timestamp, hour) as hour, count(*) as n from edge_logs group by hour'

/** Returns the files of a service with a view, and the path of its file of groups. */
async function filesOfView() {
  const world = await openWorld()
  world.setViews({ v: TEXT })
  await world.append([edge({ timestampUs: world.clock.nowUs() })])
  await world.engine.seal()
  await world.work.finish()
  await world.close()
  const { files } = world
  return { files, path: files.paths().find((one) => /^views\/.{64}\//.test(one))! }
}

describe('the check of the groups of views', () => {
  it('finds nothing in whole files, and names what is damaged, unfinished and unknown', async () => {
    const { files, path } = await filesOfView()
    expect((await check(files)).findings).toEqual([])
    const bytes = files.peek(path)!
    for (let at = 0; at < bytes.length; at += 7) {
      const flipped = Buffer.from(bytes)
      flipped[at]! ^= 1
      files.put(path, flipped)
      expect((await check(files)).findings, `byte ${at}`).toMatchObject([
        { level: 'fault', code: 'damaged_view', path },
      ])
    }
    files.put(path, bytes)
    files.put(`${path}.unfinished`, bytes)
    files.put('views/x', bytes)
    files.put('views/catalog.json', Buffer.from('{'))
    expect((await check(files)).findings).toMatchObject([
      { level: 'note', code: 'leftover', path: `${path}.unfinished` },
      { level: 'fault', code: 'damaged_view', path: 'views/catalog.json' },
      { level: 'note', code: 'unknown_file', path: 'views/x' },
    ])
  })
})
