import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Download, Page, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ROOT, type Served, serve, TOKEN } from '../program/support/program.js'
import { createGate } from '../support/gate.js'
import { seriousFindings } from './axe.js'
import { CHROMIUM, launchBrowser, openPage, settled, signIn, WITHOUT } from './browser.js'
import { fragmentOf, loaded, rowsOf, send } from './explore/page.js'

const SECOND = Date.UTC(2026, 10, 20, 10) * 1_000
const iso = (us: number) => `${new Date(us / 1_000).toISOString().slice(0, 19)}.${String(us % 1e6).padStart(6, '0')}Z`
const ODD = ['', ' a', 'a,b', 'say "no"', 'two\r\nlines', '=1+1', 'ü😀', '\\"', '\u2028', 'null', '{"a":1}']

/** Over three pages of rows, of which half share a timestamp, with texts that are hard to write. */
const TIED_US = SECOND + 30_000_007
const RECORDS = Array.from({ length: 3_400 }, (_, i) => ({
  timestamp: iso(i % 2 === 0 ? TIED_US : SECOND + i * 10_000 + 1),
  event_message: `${i} ${ODD[i % ODD.length]}`,
  metadata: { request: { method: 'GET', path: ODD[(i * 7) % ODD.length] }, response: [{ status_code: 200 + (i % 3) }] },
}))
/** Runs of a function in the same range, before the range, and now. */
const RUNS = Array.from({ length: 30 }, (_, i) => ({
  ...(i < 25 && { timestamp: iso(SECOND - 5e6 + i * 1e6) }),
  metadata: { function_id: 'f', execution_time_ms: i / 7, response: { status_code: 200 + (i % 2) * 300 } },
}))
const PROJECT = 'p'
/** Half-open, to the microsecond: rows at both ends are outside. */
const RANGE = { start: iso(SECOND + 500_003), end: iso(SECOND + 33_000_001) }
const HASH = `#project=${PROJECT}&from=${RANGE.start}&to=${RANGE.end}`

/** Expects two texts to be the same, and shows where the texts begin to differ. */
function expectSame(given: string, expected: string): void {
  const at = expected.split('').findIndex((sign, i) => given[i] !== sign)
  const from = given === expected ? expected.length : Math.max(at, 0)
  expect([given.length, given.slice(from, from + 80)]).toEqual([expected.length, expected.slice(from, from + 80)])
}

const TYPES = { CSV: 'text/csv', NDJSON: 'application/x-ndjson', JSON: 'application/json' }
type Title = keyof typeof TYPES
const TITLES = Object.keys(TYPES) as Title[]

if (CHROMIUM === undefined) test('there is no browser', () => console.log(WITHOUT))
else describe('the export', withBrowser)

function withBrowser(): void {
  let browser: Browser
  let service: Served
  let kill: () => Promise<void>
  beforeAll(async () => {
    browser = await launchBrowser()
    service = await serve(['--endpoints', join(ROOT, 'examples/endpoints')], {
      atEnd: (given) => {
        kill = given
      },
    })
    await send(service, 'edge_logs', PROJECT, RECORDS)
    await send(service, 'function_edge_logs', PROJECT, RUNS)
  })
  afterAll(async () => {
    await browser?.close()
    await kill?.()
  })

  /** Opens the explorer without a picker of files, and keeps the parameters of the explorer's queries. */
  async function open(
    fragment = HASH,
    prepare: (page: Page) => Promise<unknown> = async () => {},
    options = {},
    ready = loaded,
  ) {
    const queries: { name: string; params: URLSearchParams }[] = []
    const opened = await openPage(browser, `${service.url}/${fragment}`, options, async (blank) => {
      await blank.addInitScript(() => Object.assign(globalThis, { showSaveFilePicker: undefined }))
      blank.on('request', (request) => {
        const { pathname, searchParams } = new URL(request.url())
        const [, name] = /\/query\/(.+)/.exec(pathname) ?? []
        if (name !== undefined) queries.push({ name, params: searchParams })
      })
      await prepare(blank)
    })
    await signIn(opened.page, TOKEN)
    await ready(opened.page)
    return { ...opened, queries }
  }

  const text = async (download: Download) => readFileSync(await download.path(), 'utf8')
  const menu = (page: Page) => page.locator('#explore .export-menu')
  const statusOf = (page: Page) => menu(page).locator('> p[role=status]')

  /** Opens the menu if the menu is closed, and chooses. */
  async function choose(page: Page, format: Title, extent: RegExp): Promise<void> {
    if (!(await menu(page).isVisible())) await page.locator('#explore .export > button').click()
    await menu(page).getByLabel(format, { exact: true }).check()
    await menu(page).getByLabel(extent).check()
  }

  async function save(page: Page, format: Title, extent: RegExp): Promise<Download> {
    await choose(page, format, extent)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save' }).click(),
    ])
    return download
  }

  /** The answers of the service, joined page by page. */
  async function answered(title: Title, params: Record<string, string>, limits = [1_000, 1_000, 1_000, 1_000]) {
    const bodies: string[] = []
    let before: string | undefined
    for (const limit of limits) {
      const given = new URLSearchParams({ project: PROJECT, source: 'edge_logs', ...params, limit: `${limit}` })
      if (before !== undefined) given.set('before', before)
      const path = `/api/endpoints/query/logs.explore?${given}`
      bodies.push(await (await service.get(path, { headers: { Accept: TYPES[title] } })).text())
      const { timestamp, rank } = (await service.rows(`logs.explore?${given}`)).at(-1)!
      before = `${timestamp}.${rank}`
    }
    if (title === 'CSV')
      return bodies.map((body, i) => (i === 0 ? body : body.slice(body.indexOf('\r\n') + 2))).join('')
    if (title === 'NDJSON') return bodies.join('')
    return `{"result":[${bodies.map((body) => body.slice('{"result":['.length, -2)).join(',')}]}`
  }

  test('saves the rows of the list as the service answers them', async () => {
    const { page, faults, foreignRequests } = await open()
    for (const title of TITLES) {
      const download = await save(page, title, /^These 100 rows/)
      expectSame(await text(download), await answered(title, RANGE, [100]))
      const name = `edge_logs_p_20261120T100000Z_20261120T100033Z.${title.toLowerCase()}`
      expect(download.suggestedFilename()).toBe(name)
      expect(await statusOf(page).textContent()).toMatch(new RegExp(`^Saved 100 rows, \\d+ KiB, as ${name}$`))
    }
    // More rows, once the rows are loaded.
    await page.keyboard.press('Escape')
    await page.locator('#list').evaluate((list) => list.scrollTo(0, list.scrollHeight))
    await page.waitForFunction(() => document.getElementById('list-size')!.textContent!.startsWith('300 rows'))
    expectSame(await text(await save(page, 'CSV', /^These 300 rows/)), await answered('CSV', RANGE, [300]))
    expect([faults, foreignRequests]).toEqual([[], []])
  })

  test('saves all rows of the range, each once, while rows arrive', async () => {
    // A range without an end, with a filter and a search.
    const filter = JSON.stringify([{ field: 'request.method', op: '=', value: 'GET' }])
    const conditions = { filter, search: '1' }
    const fragment = `#project=${PROJECT}&from=${RANGE.start}&${new URLSearchParams(conditions)}`
    const arriving = { event_message: '1 arrived', metadata: { request: { method: 'GET' } } }
    const { page, queries } = await open(fragment, (blank) =>
      blank.route('**/logs.explore?*before=*', async (route) => {
        // With a time of a page that was read, and with the present time.
        await send(service, 'edge_logs', PROJECT, [{ ...arriving, timestamp: iso(SECOND + 33_990_001) }, arriving])
        await route.continue()
      }),
    )
    for (const title of TITLES) {
      const before = queries.length
      const expected = answered(title, { ...conditions, start: RANGE.start }, [1_000, 1_000])
      const whole = await expected
      const download = await save(page, title, /All rows/)
      expectSame(await text(download), whole)
      const read = queries.slice(before).filter(({ params }) => params.has('end'))
      expect(read.map(({ name }) => name)).toEqual(['logs.histogram', 'logs.explore', 'logs.explore'])
      // The list's start, and a common end.
      expect(new Set(read.map(({ params }) => params.get('start')))).toEqual(new Set([queries[0]!.params.get('start')]))
      expect(new Set(read.map(({ params }) => params.get('end'))).size).toBe(1)
      await page.keyboard.press('Escape')
    }
  })

  test('has the bounds of the list to the microsecond, and so have histogram and charts', async () => {
    const { page, queries } = await open()
    const download = await save(page, 'CSV', /All rows/)
    const whole = await answered('CSV', RANGE)
    expectSame(await text(download), whole)
    expect(await statusOf(page).textContent()).toMatch(/^Saved 3,3\d\d rows/)
    await page.keyboard.press('Escape')
    await page.keyboard.press('v')
    await page.waitForFunction(() => document.getElementById('requests')!.dataset.state === 'shown')
    const bounds = queries
      .filter(({ name }) => name.startsWith('logs.'))
      .map(({ params }) => [params.get('start'), params.get('end')])
    expect(new Set(queries.map(({ name }) => name).filter((name) => name.startsWith('logs.')))).toEqual(
      new Set(['logs.explore', 'logs.histogram', 'logs.fields', 'logs.measure']),
    )
    expect(new Set(bounds.map(String))).toEqual(new Set([`${RANGE.start},${RANGE.end}`]))
  })

  test('saves the rows of each panel of the charts as the service answers them', async () => {
    const { page, queries, faults } = await open(`${HASH}&view=charts`, undefined, {}, settled)
    const panels = [
      { panel: '#requests', subject: 'requests', name: 'logs.histogram', by: 'part' },
      { panel: '#invocations', subject: 'invocations', name: 'logs.histogram', by: 'outcome', label: /invocations/ },
      { panel: '#invocations', subject: 'execution_times', name: 'logs.measure', label: /times/ },
      { panel: '[data-endpoint="functions.slowest"]', name: 'functions.slowest' },
    ]
    for (const { panel, subject, name, by, label = /^Th(?:ese|is)/ } of panels) {
      const place = page.locator(panel)
      const dialog = place.locator('.export-menu')
      if (!(await dialog.isVisible())) await place.locator('.export > button').click()
      await dialog.getByLabel(label).check()
      const { params } = queries.find((one) => one.name === name && (by === undefined || one.params.get('by') === by))!
      expect([params.get('start'), params.get('end')]).toEqual(subject ? [RANGE.start, RANGE.end] : [null, null])
      for (const title of TITLES) {
        await dialog.getByLabel(title, { exact: true }).check()
        const saving = dialog.getByRole('button', { name: 'Save' }).click()
        const [download] = await Promise.all([page.waitForEvent('download'), saving])
        const answer = await service.get(`/api/endpoints/query/${name}?${params}`, {
          headers: { Accept: TYPES[title] },
        })
        expectSame(await text(download), await answer.text())
        const range = subject === undefined ? '' : '_20261120T100000Z_20261120T100033Z'
        expect(download.suggestedFilename()).toBe(`${subject ?? name}_p${range}.${title.toLowerCase()}`)
      }
      expect(await seriousFindings(page)).toEqual([])
    }
    expect(faults).toEqual([])
  })

  test('can be cancelled: nothing is saved', async () => {
    const gate = createGate()
    const { page } = await open(HASH, (blank) =>
      blank.route('**/logs.explore?*before=*', async (route) => {
        await gate.opened
        await route.continue().catch(() => {})
      }),
    )
    let downloads = 0
    page.on('download', () => downloads++)
    await choose(page, 'JSON', /All rows/)
    await page.getByRole('button', { name: 'Save' }).click()
    await menu(page)
      .getByText(/^1,000 of 3,\d+ rows, \d+ KiB$/)
      .waitFor()
    expect(await seriousFindings(page)).toEqual([])
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('Cancelled. Nothing was saved.').waitFor()
    gate.open()
    expect(await page.getByRole('button', { name: 'Save' }).evaluate((save) => save === document.activeElement)).toBe(
      true,
    )
    expectSame(await text(await save(page, 'JSON', /All rows/)), await answered('JSON', RANGE))
    expect(downloads).toBe(1)
  })

  test('waits for a busy service, and says why a file is not there', async () => {
    const refusals = [
      { status: 503, headers: { 'Retry-After': '1' }, json: { error: 'Too many queries.', code: 'overloaded' } },
      { status: 400, json: { error: 'Over 128 MiB of rows.', code: 'too_much_memory' } },
      { status: 400, json: { error: 'This is wrong.', code: 'invalid_parameter' } },
    ]
    const answers: Parameters<Route['fulfill']>[0][] = []
    const limits: (string | null)[] = []
    const { page } = await open(HASH, (blank) =>
      blank.route('**/logs.explore?*before=*', async (route) => {
        limits.push(new URL(route.request().url()).searchParams.get('limit'))
        const answer = answers.shift()
        await (answer === undefined ? route.continue() : route.fulfill(answer))
      }),
    )
    let downloads = 0
    page.on('download', () => downloads++)
    answers.push(refusals[0])
    await choose(page, 'NDJSON', /All rows/)
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Too many queries. Trying again in 1 s.').waitFor()
    expectSame(await text(await saved), await answered('NDJSON', RANGE))
    // Long rows: fewer rows at once.
    answers.push(refusals[1])
    limits.length = 0
    expectSame(await text(await save(page, 'NDJSON', /All rows/)), await answered('NDJSON', RANGE))
    expect(limits.slice(0, 2)).toEqual(['1000', '125'])
    expect(downloads).toBe(2)
    // The menu is closed, and opens again.
    answers.push(refusals[0], refusals[2])
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Trying again in 1 s.').waitFor()
    await page.keyboard.press('Escape')
    await menu(page).waitFor({ state: 'hidden' })
    await page.getByText('Nothing was saved. This is wrong.').waitFor()
    expect(await seriousFindings(page)).toEqual([])
    expect(downloads).toBe(2)
  })

  test('refuses a range with too many rows before it reads them', async () => {
    const { page, queries } = await open(HASH, (blank) =>
      blank.route('**/logs.histogram?*by=nothing*', (route) =>
        route.fulfill({ json: { result: [{ timestamp: 0, bucket_us: 1, class: null, count: 1_000_001 }] } }),
      ),
    )
    await choose(page, 'CSV', /All rows/)
    const before = queries.length
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Nothing was saved. The range has 1,000,001 rows, and a file at most 1,000,000.').waitFor()
    expect(queries.slice(before).map(({ name }) => name)).toEqual(['logs.histogram'])
  })

  test('writes into a file that the user chose, if the browser can', async () => {
    const gate = createGate()
    const { page } = await open(HASH, async (blank) => {
      await blank.addInitScript(() => {
        // A file of the page itself: the picker of the system cannot be operated.
        const showSaveFilePicker = async ({ suggestedName }: { suggestedName: string }) =>
          (await navigator.storage.getDirectory()).getFileHandle(suggestedName, { create: true })
        Object.assign(globalThis, { showSaveFilePicker })
      })
      await blank.route('**/logs.explore?*before=*', async (route) => {
        await gate.opened
        await route.continue().catch(() => {})
      })
    })
    const files = () =>
      page.evaluate(async () => {
        const found: Record<string, string> = {}
        const directory = (await navigator.storage.getDirectory()) as unknown as AsyncIterable<
          [string, FileSystemFileHandle]
        >
        for await (const [name, handle] of directory)
          if (!name.endsWith('.crswap')) found[name] = await (await handle.getFile()).text()
        return found
      })
    await choose(page, 'CSV', /All rows/)
    await page.getByRole('button', { name: 'Save' }).click()
    await menu(page)
      .getByText(/^1,000 of 3,\d+ rows/)
      .waitFor()
    expect(Object.values(await files())).toEqual([''])
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('Cancelled. Nothing was saved.').waitFor()
    expect(await files()).toEqual({})
    gate.open()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText(/^Saved 3,\d+ rows/).waitFor()
    const name = 'edge_logs_p_20261120T100000Z_20261120T100033Z.csv'
    const written = await files()
    expect(Object.keys(written)).toEqual([name])
    expectSame(written[name]!, await answered('CSV', RANGE))
  })

  test('ends at sign-out', async () => {
    const { page } = await open(HASH, (blank) =>
      blank.route('**/logs.explore?*before=*', async (route) => {
        await new Promise((resolve) => setTimeout(resolve, 500))
        await route.continue().catch(() => {})
      }),
    )
    await choose(page, 'CSV', /All rows/)
    await page.getByRole('button', { name: 'Save' }).click()
    await menu(page)
      .getByText(/^1,000 of/)
      .waitFor()
    await page.keyboard.press('Escape')
    await page.click('#sign-out')
    await page.locator('#sign-in').waitFor()
    expect(await statusOf(page).textContent()).toBe('Cancelled. Nothing was saved.')
    expect(await page.locator('#sign-in-error').textContent()).toBe('')
  })

  test('saves rows that arrived live as they were sent', async () => {
    const { page } = await open(`#project=live&range=1day`)
    await page.keyboard.press('l')
    await page.getByText('live', { exact: false }).and(page.locator('#list-size')).waitFor()
    const body =
      '[{"event_message":"now","metadata":{"b": 1,"10":2,"2":1.50,"x":"\\u00e9\\/","n":12345678901234567890}}]'
    const headers = { 'Content-Type': 'application/json' }
    await service.get('/api/logs?source=edge_logs&project=live', { method: 'POST', headers, body })
    await page.waitForFunction(() => document.getElementById('list-size')!.textContent!.startsWith('1 row'))
    const answer = await service.get('/api/endpoints/query/logs.explore?project=live&source=edge_logs', {
      headers: { Accept: 'text/csv' },
    })
    const expected = await answer.text()
    expect(expected).toContain('1.50')
    expectSame(await text(await save(page, 'CSV', /^This row/)), expected)
  })

  test('copies a link with bounds, and everything else but the token', async () => {
    const filter = JSON.stringify([{ field: 'request.method', op: '=', value: 'GET' }])
    const given = { project: PROJECT, source: 'edge_logs', range: '7day', filter, errors: '1', search: 'q"&#é' }
    const { page } = await open(`?a=secret#${new URLSearchParams({ ...given, errors: '' })}`, async (blank) => {
      await blank.addInitScript(() => {
        const writeText = async (copied: string) => void Object.assign(globalThis, { copied })
        Object.defineProperty(navigator, 'clipboard', { value: { writeText } })
      })
    })
    const copied = () => page.evaluate(() => (globalThis as unknown as { copied: string }).copied)
    const copy = async () => {
      if (!(await menu(page).isVisible())) await page.locator('#explore .export > button').click()
      await menu(page).getByRole('button', { name: 'Copy link' }).click()
      await page.getByText('Copied the link.').waitFor()
      return new URL(await copied())
    }
    const link = await copy()
    expect(link.href).not.toMatch(new RegExp(`${TOKEN}|secret`))
    const { from, to, range, ...fields } = Object.fromEntries(new URLSearchParams(link.hash.slice(1)))
    expect(range).toBeUndefined()
    expect(fields).toEqual({ project: PROJECT, filter, search: given.search })
    expect(from).toMatch(/\.\d{6}Z$/)
    expect(Date.parse(to!) - Date.parse(from!)).toBeGreaterThanOrEqual(7 * 86_400_000)
    expect(Date.parse(to!)).toBeLessThanOrEqual(Date.now())
  })

  test('shows by its link the same rows and record later', async () => {
    await send(service, 'auth_logs', PROJECT, [{ event_message: 'one' }, { event_message: 'two' }])
    const { page } = await open(`#project=${PROJECT}&source=auth_logs`, async (blank) => {
      await blank.addInitScript(() => {
        const writeText = async (copied: string) => void Object.assign(globalThis, { copied })
        Object.defineProperty(navigator, 'clipboard', { value: { writeText } })
      })
    })
    await page.locator('.rows .row').first().click()
    await page.locator('#detail .record').waitFor()
    const rows = await rowsOf(page)
    expect(rows.length).toBe(2)
    await page.locator('#explore .export > button').click()
    await menu(page).getByRole('button', { name: 'Copy link' }).click()
    await page.getByText('Copied the link.').waitFor()
    const link = await page.evaluate(() => (globalThis as unknown as { copied: string }).copied)
    const { record } = await fragmentOf(page)
    // The link of the record has the same bounds. Its end may be a moment earlier.
    await page.keyboard.press('Escape')
    await page.locator('#detail').getByRole('button', { name: 'Copy link' }).click()
    await page.getByText('Copied the link.').and(page.locator('.record-status')).waitFor()
    const ofRecord = await page.evaluate(() => (globalThis as unknown as { copied: string }).copied)
    const withoutEnd = (address: string) => address.replace(/&to=[^&]*/, '')
    expect(withoutEnd(ofRecord)).toBe(withoutEnd(link))
    expect(ofRecord).toContain('&to=')
    await send(service, 'auth_logs', PROJECT, [{ event_message: 'three' }])
    const { page: later } = await open(new URL(link).hash)
    expect(await rowsOf(later)).toEqual(rows)
    await expect.poll(async () => (await fragmentOf(later)).record).toBe(record)
    await later.locator('#detail .record').waitFor()
  })

  test.each([390, 1_280])('can be used with the keyboard, at %i px', async (width) => {
    const { page, faults } = await open(HASH, undefined, { viewport: { width, height: 800 } })
    const button = page.locator('#explore .export > button')
    await button.focus()
    await page.keyboard.press('Enter')
    await menu(page).waitFor()
    expect(await page.evaluate(() => document.activeElement!.parentElement!.textContent)).toBe('CSV')
    expect(await seriousFindings(page)).toEqual([])
    const box = (await menu(page).boundingBox())!
    expect(box.x).toBeGreaterThanOrEqual(0)
    expect(box.x + box.width).toBeLessThanOrEqual(width)
    await page.keyboard.press('ArrowRight')
    for (const key of ['Tab', 'Tab']) await page.keyboard.press(key)
    const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Enter')])
    expect(download.suggestedFilename()).toMatch(/\.ndjson$/)
    await page.keyboard.press('Escape')
    expect(await menu(page).isVisible()).toBe(false)
    expect(await button.evaluate((one) => one === document.activeElement)).toBe(true)
    // The format is kept, also for other pages.
    await page.keyboard.press('Enter')
    expect(await menu(page).getByLabel('NDJSON', { exact: true }).isChecked()).toBe(true)
    expect(faults).toEqual([])
  })
}
