import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { SUPABASE_SOURCES } from '../../../src/common/supabase-sources.js'
import { createStudioServer } from '../../support/supabase/studio-server.js'
import { STACK_PROJECT } from '../../support/supabase/vector-events.js'
import { type Served, temporaryFolder } from '../support/program.js'
import { PRIVATE, PUBLIC, serveSupabase } from '../support/studio-stack.js'

/** Starts the service of a stack on disk, with an own source of the user. */
async function start(folder: string) {
  const service = await serveSupabase(['--sources', 'app', '--data-dir', folder], {
    environment: { LOGWEIR_IN_MEMORY: '' },
  })
  return { service, studio: createStudioServer((path, headers) => fetch(service.url + path, { headers }), PRIVATE) }
}

const send = ({ url }: Served, path: string, records: readonly object[]) =>
  fetch(url + path, {
    method: 'POST',
    headers: { 'X-API-KEY': PUBLIC, 'Content-Type': 'application/json' },
    body: JSON.stringify(records),
  })

const record = (message: string, fields: object = {}) => ({ project: STACK_PROJECT, event_message: message, ...fields })
/** The newest rows of a source, as a page of Studio asks for them. */
const pageOf = (source: string) => ({
  sql: `select id, ${source}.timestamp, event_message from ${source} cross join unnest(metadata) as metadata
    order by timestamp desc limit 100`,
})

describe('sources that Supabase names beside the nine', () => {
  it('are empty without rows, which leave the format of the directory as it is', async () => {
    const folder = temporaryFolder()
    const { service, studio } = await start(folder)
    expect((await send(service, '/api/logs?source_name=postgres.logs', [record('of the nine')])).status).toBe(200)
    for (const source of [...SUPABASE_SOURCES, 'app']) {
      expect([source, await studio('logs.all', pageOf(source))]).toEqual([source, { rows: [], error: undefined }])
      expect(await studio('logs.explore', { source })).toEqual({ rows: [], error: undefined })
    }
    expect(JSON.parse(readFileSync(join(folder, 'format.json'), 'utf8')).version).toBe(1)
  })

  it('have the rows that are sent to them, by URL and by record', async () => {
    const { service, studio } = await start(temporaryFolder())
    for (const source of SUPABASE_SOURCES) {
      const named = await send(service, `/api/logs?source_name=${source}`, [record('by URL', { level: 'error' })])
      const own = await send(service, '/api/logs', [record('by record', { source, level: 'info' })])
      expect([named.status, own.status]).toEqual([200, 200])
      const { rows } = await studio('logs.all', pageOf(source))
      expect(rows.map(({ event_message }) => event_message).sort()).toEqual(['by URL', 'by record'].sort())
      const counts = await studio('logs.histogram', { source })
      expect(counts.rows.map(({ class: name, count }) => [name, count]).sort()).toEqual([
        ['error', 1],
        ['info', 1],
      ])
      const fields = await studio('logs.fields', { source })
      expect(fields.rows.map(({ field }) => field)).toContain('level')
    }
  })

  it('are the only ones: another name is refused', async () => {
    const { service, studio } = await start(temporaryFolder())
    const refused = await send(service, '/api/logs?source_name=supavisor', [record('a')])
    expect([refused.status, ((await refused.json()) as { error: object }).error]).toEqual([
      400,
      { code: 'unknown_source', message: expect.stringContaining('The URL names the source "supavisor", which') },
    ])
    expect((await studio('logs.all', pageOf('supavisor'))).error).toMatch(/no source supavisor\b.*supavisor_logs/)
  })
})
