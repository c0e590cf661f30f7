import { expect, it } from 'vitest'
import { describeWhere } from '../../clickhouse/needs.js'
import { type Served, serve, TOKEN, temporaryFolder, until } from '../support/program.js'
import { findClient, runClient, WHY_NO_CLIENTS } from '../support/published.js'

const PROJECTS = Array.from({ length: 5 }, (_, i) => `pinoproject${i}`)
/** The most rows that logs.all returns. */
const ROWS = 100
const BATCH = 50
/** The project of the last batch, which pino-logflare 0.5.2 sends twice. */
const LAST = 'lastproject'
const SIZE = 10

const newest = (service: Served, project: string) => service.rows(`logs.all?project=${project}&project_tier=PRO`)
const allOf = (count: number) => Array.from({ length: count }, (_, i) => `row ${i}`)
const byNumber = (a: string, b: string) => Number(a.slice('row '.length)) - Number(b.slice('row '.length))

describeWhere(findClient('pino-logflare'), 'pino-logflare', WHY_NO_CLIENTS, 'pino with pino-logflare', () => {
  it.each(['sourceToken', 'sourceName'])('ships all that is logged, named by its %s', async (named) => {
    const service = await serve(['--data-dir', temporaryFolder()], { stdin: 'ignore' })
    const startMs = Date.now()
    const options = { apiBaseUrl: service.url, apiKey: TOKEN, [named]: 'edge_logs', batchSize: BATCH }
    await runClient('pino.mjs', { ...options, projects: [...PROJECTS, LAST], rows: ROWS }).exit
    const endMs = Date.now()
    for (const project of PROJECTS) {
      const rows = await newest(service, project)
      expect(rows.map(({ event_message }) => event_message).sort(byNumber)).toEqual(allOf(ROWS))
      for (const { timestamp, metadata } of rows) {
        expect(timestamp).toBeGreaterThanOrEqual(startMs * 1000)
        expect(timestamp).toBeLessThanOrEqual(endMs * 1000)
        expect(metadata).toMatchObject({ project, level: 'warning', nested: { list: [1.5, null], text: 'a"\n€' } })
      }
    }
    const sent = (PROJECTS.length + 1) * ROWS
    expect([sent, sent + BATCH]).toContain(await service.metric('logweir_rows{source="edge_logs"}'))
  })
})

const CORE = 'logflare-transport-core'
describeWhere(findClient(CORE), CORE, WHY_NO_CLIENTS, CORE, () => {
  it('has every batch that was answered kept once, over a restart; it hands back those that were not', async () => {
    const project = 'coreproject'
    const args = ['--data-dir', temporaryFolder()]
    let service = await serve(args, { stdin: 'ignore' })
    const options = { apiBaseUrl: service.url, apiKey: TOKEN, sourceName: 'edge_logs', project, size: SIZE }
    const client = runClient('core.mjs', options)
    const told = () => client.lines.length
    await until(
      async () => told(),
      (lines) => lines >= 3,
    )
    service.child.kill('SIGTERM')
    expect(await service.exit).toBe(0)
    service = await serve([...args, '--port', new URL(service.url).port], { stdin: 'ignore' })
    const atStart = told()
    await until(
      async () => told(),
      (lines) => lines >= atStart + 3,
    )
    client.end()
    await client.exit

    const taken = client.lines.filter(({ answer }) => answer !== undefined)
    const lost = client.lines.filter(({ error }) => error !== undefined)
    expect(taken.map(({ answer }) => answer)).toEqual(taken.map(() => ({ message: 'Logged!' })))
    expect(lost.length).toBeGreaterThan(0)
    expect(lost.map(({ kept }) => kept)).toEqual(lost.map(() => SIZE))
    expect(client.lines.at(-1)).toHaveProperty('answer')
    const shown = (await newest(service, project)).map(({ metadata }) => metadata.batch)
    const newestTaken = taken.flatMap(({ batch }) => Array<number>(SIZE).fill(batch)).slice(-ROWS)
    expect(shown.sort((a, b) => a - b)).toEqual(newestTaken)
    expect(await service.metric('logweir_rows{source="edge_logs"}')).toBe(taken.length * SIZE)
  })

  it('reads why a batch was refused', async () => {
    const service = await serve([], { stdin: 'ignore' })
    const options = { apiBaseUrl: service.url, apiKey: 'wrong', sourceName: 'edge_logs', project: 'p', size: 1 }
    const client = runClient('core.mjs', options)
    await until(
      async () => client.lines.length,
      (lines) => lines > 0,
    )
    client.end()
    await client.exit
    expect(client.lines[0].error).toMatch(/^Network response was not ok/)
  })
})
