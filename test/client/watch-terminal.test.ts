import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import type { Screen } from '../../src/client/repaint.js'
import { readWatch, runWatch } from '../../src/client/watch.js'
import { eventStream, fakeService, inTurn } from './fake-service.js'
import { CALL, change, event, LISTING, row, snapshot, watch } from './watching.js'

/** Returns a terminal of a size that the test can change. */
function terminal(columns = 40, lines = 10) {
  const size = { columns, lines }
  const listeners: (() => void)[] = []
  const screen: Screen = { isPlain: true, size: () => size, onResize: (listener) => void listeners.push(listener) }
  const resize = (next: Partial<typeof size>) => {
    Object.assign(size, next)
    for (const listener of listeners) listener()
  }
  return { out: { terminal: { columns, isPlain: true }, screen }, resize }
}

/** Returns a text with visible escape characters. */
const visible = (text: string) => text.replaceAll('\u001b', '␛')

/** Shows what a terminal would: knows the sequences that move the cursor up, and that clear a line or the rest. */
function shownBy(writes: readonly string[]): string[] {
  let [lines, at] = [[] as string[], 0]
  for (const text of writes.map(visible)) {
    const moved = /^␛\[(\d+)A/.exec(text)
    if (moved !== null) at -= Number(moved[1])
    expect(at).toBeGreaterThanOrEqual(0)
    const rest = text.slice(moved?.[0].length ?? 0)
    expect(rest).toMatch(/^(␛\[K[^␛\n]*\n)*␛\[J$/)
    for (const line of rest.split('\n').slice(0, -1)) lines[at++] = line.replace('␛[K', '')
    lines = lines.slice(0, at)
  }
  return lines
}

describe('logweir watch on a terminal', () => {
  it('paints the table over the last one, with all changes', async () => {
    const { url } = await inTurn(
      LISTING,
      eventStream(
        snapshot(1, [row('/a', 1), row('/c', 3)]) +
          change(2, [row('/a', 10), row('/b', 2)]) +
          change(3, [], [['/c']]) +
          snapshot(4, [row('/z', 1), row('/y', 1)]) +
          change(5, [row('/zz', 1)]),
      ),
    )
    const { written } = await watch(url, CALL, { writes: 5 }, terminal().out)
    const tables = written.map((_, i) => shownBy(written.slice(0, i + 1)).slice(1))
    expect(tables).toEqual([
      ['/a           1', '/c           3'],
      ['/a          10', '/b           2', '/c           3'],
      ['/a          10', '/b           2'],
      ['/z           1', '/y           1'],
      ['/zz          1', '/z           1', '/y           1'],
    ])
  })

  it('shows what fits, with the number of the other rows', async () => {
    const rows = Array.from({ length: 1_234 }, (_, i) => row(`/${'long/'.repeat(20)}${i}`, i))
    const { url } = await inTurn(LISTING, eventStream(snapshot(1, rows) + change(2, [row('/short', 1)])))
    const { written } = await watch(url, CALL, { writes: 2 }, terminal(24, 6).out)
    for (const [i, more] of ['1,231', '1,232'].entries()) {
      const shown = shownBy(written.slice(0, i + 1))
      expect(shown).toHaveLength(5)
      expect(shown.at(-1)).toBe(`… ${more} more rows`)
      for (const line of shown) expect(line.length).toBeLessThanOrEqual(24)
    }
  })

  it('paints below what is told, and over the whole screen when its size changes', async () => {
    const { out, resize } = terminal()
    const streams: ServerResponse[] = []
    const { url } = await fakeService((request, response) => {
      if (request.url === '/api/endpoints') return LISTING(request, response)
      eventStream(streams.length === 0 ? snapshot(1, [row('/a', 1)]) : change(2, [row('/b', 1)]))(request, response)
      streams.push(response)
    })
    const written: string[] = []
    const write = async (text: string | Uint8Array) => void written.push(String(text))
    const stop = new AbortController()
    const config = readWatch([...CALL.split(' '), '--url', url], { LOGWEIR_TOKEN: 'open' }, () => {})
    const ended = runWatch(config, { write, ...out }, (message) => void written.push(message), stop.signal)
    await expect.poll(() => written.length).toBe(1)
    streams[0]!.end()
    await expect.poll(() => written.length).toBe(4)
    resize({ columns: 8 })
    stop.abort()
    await ended
    expect(written.map(visible)).toEqual([
      '␛[Kpath  requests\n␛[K/a           1\n␛[J',
      'the service ended the stream. Trying again.',
      'connected again.',
      '␛[Kpath  requests\n␛[K/a           1\n␛[K/b           1\n␛[J',
      expect.stringMatching(/^␛\[H␛\[2J(␛\[K[^\n]{0,8}\n)+␛\[J$/),
    ])
  })

  it('has bold headings unless the terminal is plain, and texts that cannot drive it', async () => {
    const events = snapshot(1, [row('/\u001b[2J', 1)])
    const { url } = await inTurn(LISTING, eventStream(events), LISTING, eventStream(events))
    const { out } = terminal()
    const { written } = await watch(url, CALL, { writes: 1 }, { ...out, screen: { ...out.screen, isPlain: false } })
    expect(written.map(visible)).toEqual(['␛[K␛[1mpath        requests␛[22m\n␛[K/\\u001b[2J         1\n␛[J'])
    const ndjson = await watch(url, `${CALL} --format ndjson`, { writes: 1 }, out)
    expect(ndjson.written.join('')).toContain('{"path":"/\\u001b[2J","requests":1}')
  })

  it('says that there are no rows, and shows tables in sequence if the cursor cannot be moved', async () => {
    const { url } = await inTurn(LISTING, eventStream(snapshot(1, []) + change(2, [row('/a', 1)])))
    const { written } = await watch(url, CALL, { writes: 3 }, { ...terminal().out, screen: undefined })
    expect(written.join('')).toBe('no rows\n\npath  requests\n/a           1\n')
  })

  it.each([
    ['a change without a snapshot', change(1, [row('/a', 1)])],
    ['a change of a result without a key', `${event('snapshot', 'p.1', { result: [] })}${change(2, [])}`],
    ['a snapshot without rows', event('snapshot', 'p.1', { rows: [] })],
    ['rows that are lists', event('snapshot', 'p.1', { result: [[1]] })],
    ['a change without keys', `${snapshot(1, [])}${event('change', 'p.2', { upsert: [] })}`],
    ['what is no JSON', 'event: snapshot\ndata: {\n\n'],
  ])('gives up on %s', async (_, events) => {
    const { url } = await inTurn(LISTING, eventStream(events))
    const failed = watch(url, CALL, { writes: 9 }, terminal().out)
    await expect(failed).rejects.toThrow('the service sent an event that is not understood. Is it another version?')
  })

  it('refuses a column that no row has', async () => {
    const { url } = await inTurn(LISTING, eventStream(snapshot(1, [row('/a', 1)])))
    const failed = watch(url, `${CALL} --columns pth`, { writes: 1 }, terminal().out)
    await expect(failed).rejects.toThrow('--columns: there is no column "pth". Did you mean path?')
    await expect(failed).rejects.toMatchObject({ code: 'usage' })
  })
})
