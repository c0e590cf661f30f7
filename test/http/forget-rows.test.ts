import { describe, expect, it } from 'vitest'
import type { ArrowEngine } from '../../src/engine/store/engine.js'
import { sqlPath } from './sql/support.js'
import { createSubscribeApp } from './subscribe/support.js'
import { LOGS_ALL, settle } from './support.js'
import { createTailApp, notices } from './tail/support.js'

/** Deletes the rows of a project as a deletion does: hides the rows, and then notes the deletion. */
async function deleteRows(
  {
    engine,
    app,
  }: { engine: ArrowEngine; app: { forgetRows: (rows: { project: string; sources: Set<string> }) => void } },
  project = 'a',
): Promise<void> {
  const heads = await engine.deleting.closeHeads(['edge_logs'], 'a')
  const sources = new Map([...heads].map(([source, lastHead]) => [source, { lastHead, where: undefined }]))
  const all = { fromUs: Number.NEGATIVE_INFINITY, throughUs: Number.POSITIVE_INFINITY }
  engine.deleting.hide({ id: `d-${project}`, project, ...all, sources })
  app.forgetRows({ project, sources: new Set(['edge_logs']) })
}

describe('a cached answer', () => {
  it('has no deleted row, nor does the answer that a client has validate', async () => {
    const made = createSubscribeApp()
    await made.bring({ id: 'one' }, { id: 'two', project: 'b' })
    const path = '/api/projects'
    const before = await made.get(path)
    const etag = before.headers.get('etag')!
    expect(await before.text()).toContain('"a"')
    const unchanged = await made.get(path, { headers: { 'If-None-Match': etag } })
    expect([unchanged.status, unchanged.headers.get('cache-status')]).toEqual([304, expect.stringContaining('hit')])
    await deleteRows(made)
    const after = await made.get(path, { headers: { 'If-None-Match': etag } })
    const text = await after.text()
    expect([after.status, text.includes('"a"'), text.includes('"b"')]).toEqual([200, false, true])
    expect(await (await made.get(`${LOGS_ALL}?project=b`)).text()).toContain('two')
  })
})

describe('a subscription', () => {
  it('ends, and shows no deleted row after that, also to a client that resumes', async () => {
    const made = createSubscribeApp()
    const path = sqlPath('select id from edge_logs order by timestamp')
    const other = await made.follow(`${LOGS_ALL}?project=b`)
    await made.bring({ id: 'one' })
    const client = await made.follow(path)
    await made.bring({ id: 'two' })
    await made.pass(2_000)
    expect(client.rows().sort()).toEqual(['{"id":"one"}', '{"id":"two"}'])
    await deleteRows(made)
    await made.pass(2_000)
    expect(client.events.at(-1)).toMatchObject({ name: 'dropped', data: { error: { code: 'stopping' } } })
    const again = await made.follow(path, client.kept())
    await made.pass(2_000)
    expect([again.rows(), again.events.map(({ name }) => name)]).toEqual([[], ['snapshot']])
    expect(other.events.map(({ name }) => name)).toEqual(['snapshot'])
  })
})

describe('a tail', () => {
  it('ends, and shows no deleted row to a client that resumes', async () => {
    const made = createTailApp()
    const reader = await made.tail()
    const other = await made.tail(undefined, 'b')
    await made.bring({ id: 'one' }, { id: 'two' })
    const ids = reader
      .stream()
      .events.filter(({ type }) => type === 'message')
      .map(({ lastEventId }) => lastEventId)
    expect(ids).toHaveLength(2)
    await deleteRows(made)
    await settle()
    expect(notices(reader)).toEqual([expect.objectContaining({ type: 'dropped', code: 'stopping' })])
    expect(notices(other)).toEqual([])
    for (const lastId of ids) {
      const again = await made.tail(lastId)
      await made.bring({ id: `three after ${lastId}` })
      expect(JSON.stringify(again.stream().events)).not.toMatch(/"(one|two)"/)
      expect(JSON.stringify(again.stream().events)).toContain(`three after ${lastId}`)
    }
  })
})
