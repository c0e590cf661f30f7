import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createDiskFiles } from '../../../../src/engine/disk/files/files.js'
import { dayPath, journalPath, parseDayName, segmentPath } from '../../../../src/engine/store/files/file-names.js'
import { takeInventory } from '../../../../src/engine/store/files/inventory.js'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'logweir-inventory-'))
})
afterEach(() => rmSync(root, { recursive: true }))

function put(...paths: string[]) {
  for (const path of paths) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), '')
  }
}

const inventory = () => takeInventory(createDiskFiles(root))

describe('the names in a data directory', () => {
  it('are built of source, head, day and part', () => {
    expect(journalPath({ source: 'edge_logs', number: 12 })).toBe('journal/edge_logs-00000012.log')
    expect(segmentPath({ source: 'edge_logs', number: 12 }, 3, 20_778)).toBe('segments/edge_logs/2026-11-21/00000012-3')
    expect(dayPath('auth_logs', -1)).toBe('segments/auth_logs/1969-12-31')
    expect(dayPath('auth_logs', 3_000_000)).toBe('segments/auth_logs/+010183-09-21')
  })

  it.each([-1_000_000, -1, 0, 20_778, 3_000_000])('give the day %d back', (day) => {
    expect(parseDayName(dayPath('auth_logs', day).split('/').at(-1)!)).toBe(day)
    expect(parseDayName('notes')).toBeUndefined()
  })

  it('say what is live, in the order of the heads', async () => {
    put('journal/edge_logs-00000012.log', 'journal/edge_logs-100000000.log', 'journal/auth_logs-00000002.log')
    put('segments/edge_logs/2026-11-21/00000002-1/hot.arrow', 'segments/edge_logs/2026-11-20/00000010-0/hot.arrow')
    put('segments/edge_logs/2026-11-20/00000002-0/hot.arrow')
    const { journals, segments, leftovers } = await inventory()
    expect(journals.map(journalPath)).toEqual([
      'journal/auth_logs-00000002.log',
      'journal/edge_logs-00000012.log',
      'journal/edge_logs-100000000.log',
    ])
    expect(segments.map(({ path }) => path)).toEqual([
      'segments/edge_logs/2026-11-20/00000002-0',
      'segments/edge_logs/2026-11-21/00000002-1',
      'segments/edge_logs/2026-11-20/00000010-0',
    ])
    expect(leftovers).toEqual([])
  })

  it('say what an unfinished seal or removal has left', async () => {
    put('journal/edge_logs-00000007.log', 'segments/edge_logs/2026-11-20/00000007-0/hot.arrow')
    put(
      'segments/edge_logs/2026-11-20/00000006-0.unfinished/hot.arrow',
      'segments/auth_logs/2026-11-20/00000007-0.gone/x',
      'segments/auth_logs/2026-11-20/00000007-0.cold.unfinished',
    )
    put('segments/auth_logs/2026-11-20/00000007-0/hot.arrow')
    mkdirSync(join(root, 'segments/auth_logs/2026-11-19'))
    const { segments, unfinished, leftovers } = await inventory()
    expect(unfinished.map(({ path }) => path)).toEqual(['segments/edge_logs/2026-11-20/00000007-0'])
    expect(segments.map(({ path }) => path)).toEqual(['segments/auth_logs/2026-11-20/00000007-0'])
    expect([...leftovers].sort()).toEqual([
      'segments/auth_logs/2026-11-19',
      'segments/auth_logs/2026-11-20/00000007-0.cold.unfinished',
      'segments/auth_logs/2026-11-20/00000007-0.gone',
      'segments/edge_logs/2026-11-20/00000006-0.unfinished',
    ])
  })

  it('are the newest editions of segments, or none where no row is left', async () => {
    const day = 'segments/edge_logs/2026-11-20'
    put(`${day}/00000001-0/hot.arrow`, `${day}/00000001-0.2/hot.arrow`, `${day}/00000001-0.10/hot.arrow`)
    put(`${day}/00000001-1/hot.arrow`, `${day}/00000002-0.3/hot.arrow`, `${day}/00000002-0.emptied`)
    const { segments, emptied, leftovers, unknown } = await inventory()
    expect(segments.map(({ path, edition }) => [path, edition])).toEqual([
      [`${day}/00000001-0.10`, 10],
      [`${day}/00000001-1`, 0],
    ])
    expect(emptied.map(({ path }) => path)).toEqual([`${day}/00000002-0`])
    expect([...leftovers].sort()).toEqual([`${day}/00000001-0`, `${day}/00000001-0.2`, `${day}/00000002-0.3`])
    expect(unknown).toEqual([])
  })

  it('leave alone what is not ours, and say it', async () => {
    const unknown = [
      'journal/README',
      'journal/Other-00000001.log',
      'journal/edge_logs-1.log',
      'segments/README',
      'segments/edge_logs/2026-11-20/00000001-00',
      'segments/edge_logs/2026-11-20/notes',
      'segments/edge_logs/2026-13-01',
      'segments/edge_logs/notes',
      'segments/Other',
    ]
    put(...unknown.filter((path) => path !== 'segments/Other'), 'segments/Other/2026-11-20/00000001-0/hot.arrow')
    const setAside = ['journal/edge_logs-00000001.log.damaged', 'segments/edge_logs/2026-11-20/00000003-0.damaged']
    put(...setAside)
    expect(await inventory()).toEqual({
      journals: [],
      segments: [],
      emptied: [],
      unfinished: [],
      leftovers: [],
      setAside,
      unknown: expect.arrayContaining(unknown),
    })
  })

  it('are none in a directory that is new', async () => {
    expect(await inventory()).toEqual({
      journals: [],
      segments: [],
      emptied: [],
      unfinished: [],
      leftovers: [],
      setAside: [],
      unknown: [],
    })
  })
})
