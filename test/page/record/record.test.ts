import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { build } from 'rolldown'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ROOT } from '../../program/support/program.js'
import { seriousFindings } from '../axe.js'
import { CHROMIUM, launchBrowser, openPage, WITHOUT } from '../browser.js'

/** Where the files of the page are, without a service. On this host a page may use the clipboard. */
const ADDRESS = 'http://localhost:9/'

/** The functions that the tests call in the browser, by their modules. */
const CALLED = { 'record/record': 'showRecord', 'record/record-around': 'showAround', 'api/api': 'parseExact' }

/** Returns a module that exports the called functions. */
async function bundleCalled(): Promise<string> {
  const lines = Object.entries(CALLED).map(([module, name]) => `export { ${name} } from './${module}.js'`)
  const { output } = await build({
    input: 'called.ts',
    write: false,
    resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
    plugins: [
      {
        name: 'called',
        resolveId: (id) => (id === 'called.ts' ? join(ROOT, 'src/page', id) : undefined),
        load: (id) => (id.endsWith('called.ts') ? lines.join('\n') : undefined),
      },
    ],
  })
  return output[0].code
}

/** Answers requests for the files of the page and for `called`, and says that there is no token. */
async function serveFiles(blank: Page, called: string): Promise<void> {
  await blank.route(`${ADDRESS}**`, (route) => {
    const path = new URL(route.request().url()).pathname
    if (path === '/api/session') return route.fulfill({ json: { scopes: [], projects: [] } })
    if (path === '/called.js') return route.fulfill({ contentType: 'text/javascript', body: called })
    return route.fulfill({ path: join(ROOT, 'dist/page', path === '/' ? 'index.html' : path.replace('/page/', '')) })
  })
}

const TIME_US = Date.UTC(2026, 10, 20, 10, 0, 0, 123) * 1_000 + 456
const METADATA = [
  '{"request":[{"method":"GET","path":"/rest/v1/<b>bold</b>","headers":{"a.b":"dotted","x-empty":""}}]',
  '"response":{"status_code":500,"origin_time":1.0}',
  '"exact":12345678901234567890',
  '"ok":true,"gone":null,"none":{},"tags":["first","second"],"id":"own"}',
].join(',')
const row = (more: Record<string, string> = {}) => {
  const fields = {
    id: '"an-id"',
    timestamp: String(TIME_US),
    event_message: '"GET | 500 | the Needle"',
    metadata: METADATA,
    rank: '3',
    ...more,
  }
  return `{${Object.entries(fields)
    .map(([name, json]) => `"${name}":${json}`)
    .join(',')}}`
}

if (CHROMIUM === undefined) test('there is no browser', () => console.log(WITHOUT))
else describe('a record on the page', withBrowser)

function withBrowser(): void {
  let browser: Browser
  let called: string
  beforeAll(async () => {
    called = await bundleCalled()
    browser = await launchBrowser()
  })
  afterAll(() => browser?.close())

  /** Shows a record, given as JSON, on the page of a service. Calls of the options are collected in `calls`. */
  async function show(json: string, options: object = {}, context: object = {}) {
    const permissions = ['clipboard-read', 'clipboard-write']
    const { page, faults } = await openPage(browser, ADDRESS, { permissions, ...context }, (blank) =>
      serveFiles(blank, called),
    )
    await showOn(page, json, options)
    return { page, faults }
  }

  const calls = (page: Page) => page.evaluate(() => (globalThis as unknown as { calls: unknown[][] }).calls)
  const copied = (page: Page) => page.evaluate(() => navigator.clipboard.readText())
  /** Returns the texts of the lines that match, without their buttons. */
  const textsOf = (page: Page, selector: string) =>
    page.locator(selector).evaluateAll((all) =>
      all.map((line) => {
        const parts = [...line.children].filter((one) => !one.matches('.actions'))
        return parts.length === 0 ? line.textContent : parts.map((one) => one.textContent).join(': ')
      }),
    )
  const lines = (page: Page) => textsOf(page, '.tree .line:visible')
  /** Returns the line of a field, the last line with this name. */
  const item = (page: Page, key: string) => page.locator(`.line:has(> .key:text-is("${key}"))`).last()
  const focused = async (page: Page) => (await textsOf(page, ':focus'))[0]

  test('has its time in full, its message, and every value as it was sent', async () => {
    const { page, faults } = await show(row())
    expect(await page.locator('.record h2').textContent()).toBe('2026-11-20 10:00:00.123456 UTC edge_logs')
    expect(await page.locator('.record-message .shown').textContent()).toBe('GET | 500 | the Needle')
    expect(await lines(page)).toEqual([
      'request: 1 element',
      '0: 3 fields',
      'method: GET',
      'path: /rest/v1/<b>bold</b>',
      'headers: 2 fields',
      'a.b: dotted',
      'x-empty: ',
      'response: 2 fields',
      'status_code: 500',
      'origin_time: 1.0',
      'exact: 12345678901234567890',
      'ok: true',
      'gone: null',
      'none: {}',
      'tags: 2 elements',
      '0: first',
      '1: second',
      'id: own',
    ])
    expect(await page.locator('.record b').count()).toBe(0)
    await page.getByRole('button', { name: 'Fold all', exact: true }).click()
    expect(await lines(page)).toEqual([
      'request: 1 element',
      'response: 2 fields',
      'exact: 12345678901234567890',
      'ok: true',
      'gone: null',
      'none: {}',
      'tags: 2 elements',
      'id: own',
    ])
    await item(page, 'response').click()
    expect((await lines(page)).slice(1, 4)).toEqual(['response: 2 fields', 'status_code: 500', 'origin_time: 1.0'])
    await page.getByRole('button', { name: 'Unfold all', exact: true }).click()
    expect(await lines(page)).toHaveLength(18)
    expect(faults).toEqual([])
  })

  test('says times in the zone of the user', async () => {
    const { page } = await show(row(), {}, { timezoneId: 'America/St_Johns' })
    expect(await page.locator('.record h2 time').textContent()).toBe('2026-11-20 06:30:00.123456 -03:30')
    expect(await page.locator('.record h2 time').getAttribute('title')).toBe('2026-11-20 10:00:00.123456 UTC')
  })

  test('filters by its values, also by numbers that a double cannot represent', async () => {
    const { page } = await show(row())
    for (const [key, name] of [
      ['status_code', 'Keep'],
      ['method', 'Exclude'],
      ['exact', 'Keep'],
      ['gone', 'Keep'],
      ['gone', 'Exclude'],
      ['a.b', 'Exclude'],
      ['id', 'Keep'],
      ['ok', 'Keep'],
    ] as const) {
      await item(page, key).hover()
      await page.locator('.tree').getByRole('button', { name, exact: true }).click()
    }
    await page.getByRole('button', { name: 'Exclude rows with this message' }).click()
    await page.getByRole('button', { name: 'Keep only rows with this id', exact: true }).click()
    expect(await calls(page)).toEqual([
      ['filter', 'response.status_code', '=', 500],
      ['filter', 'request.method', '!=', 'GET'],
      ['filter', 'exact', '=', '12345678901234567890'],
      ['filter', 'gone', 'missing', null],
      ['filter', 'gone', 'exists', null],
      ['filter', ['request', 'headers', 'a.b'], '!=', 'dotted'],
      ['filter', 'metadata.id', '=', 'own'],
      ['filter', 'ok', '=', true],
      ['filter', 'event_message', '!=', 'GET | 500 | the Needle'],
      ['filter', 'id', '=', 'an-id'],
    ])
    // Filters see no objects, and no elements of lists but the first object.
    for (const key of ['response', '1']) {
      await item(page, key).hover()
      expect(
        await page
          .locator('.tree')
          .getByRole('button', { name: /^(?:Keep|Exclude)$/ })
          .count(),
      ).toBe(0)
      expect(await page.locator('.tree').getByRole('button', { name: /^Copy/ }).count()).toBe(1)
    }
  })

  test('copies values, the whole as JSON, and a link', async () => {
    const { page } = await show(row(), { link: 'http://localhost/#record=1.3' })
    const copy = async (name: string, place = 'body') => {
      await page.locator(place).getByRole('button', { name, exact: true }).click()
      await page.locator('.record-status', { hasText: 'Copied' }).waitFor()
      return copied(page)
    }
    await item(page, 'exact').hover()
    expect(await copy('Copy', '.tree')).toBe('12345678901234567890')
    await item(page, 'response').hover()
    expect(await copy('Copy', '.tree')).toBe('{\n  "status_code": 500,\n  "origin_time": 1.0\n}')
    const { rank: _, ...record } = JSON.parse(row())
    const json = await copy('Copy JSON')
    expect(JSON.parse(json)).toEqual(record)
    for (const exact of ['12345678901234567890', '1.0', String(TIME_US)]) expect(json).toContain(exact)
    expect(await copy('Copy the message')).toBe('GET | 500 | the Needle')
    expect(await copy('Copy link')).toBe('http://localhost/#record=1.3')
  })

  test('copies over plain HTTP too, where there is no clipboard API', async () => {
    const { page } = await show(row())
    await page.evaluate(() => {
      Object.defineProperty(navigator, 'clipboard', { value: undefined })
      document.addEventListener('copy', () => {
        const { value } = document.activeElement as HTMLTextAreaElement
        Object.assign(globalThis, { calls: [[value]] })
      })
    })
    await item(page, 'exact').click()
    await page.keyboard.press('c')
    await page.getByText('Copied exact.').waitFor()
    expect(await calls(page)).toEqual([['12345678901234567890']])
    expect(await focused(page)).toBe('exact: 12345678901234567890')
  })

  test('is moved through by keys', async () => {
    const { page } = await show(row())
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key)
      return focused(page)
    }
    await page.getByRole('button', { name: 'Fold all', exact: true }).focus()
    expect(await press('Tab')).toBe('request: 1 element')
    expect(await press('ArrowLeft')).toBe('request: 1 element')
    expect(await item(page, 'request').getAttribute('aria-expanded')).toBe('false')
    expect(await press('ArrowDown')).toBe('response: 2 fields')
    expect(await press('ArrowRight')).toBe('status_code: 500')
    expect(await press('ArrowDown')).toBe('origin_time: 1.0')
    expect(await press('ArrowLeft')).toBe('response: 2 fields')
    expect(await press('Enter', 'ArrowDown')).toBe('exact: 12345678901234567890')
    expect(await press('End')).toBe('id: own')
    expect(await press('ArrowDown')).toBe('id: own')
    expect(await press('Home')).toBe('request: 1 element')
    expect(await press(' ', 'ArrowRight')).toBe('0: 3 fields')
    expect(await press('ArrowRight', '+', '-')).toBe('method: GET')
    expect(await press('c')).toBe('method: GET')
    await page.getByText('Copied request.0.method.').waitFor()
    expect(await press('Escape')).toBe('method: GET')
    // The tree is a single stop of the tab key.
    expect(await press('Tab')).toBe('Keep')
    expect(await press('Shift+Tab')).toBe('method: GET')
    expect(await calls(page)).toEqual([
      ['filter', 'request.method', '=', 'GET'],
      ['filter', 'request.method', '!=', 'GET'],
      ['close'],
    ])
  })

  test('marks what matched, and shows long texts on demand', async () => {
    const message = `${'x'.repeat(2_000)} needle ${'y'.repeat(3_000)}`
    const metadata = `{"text":"a Needle","long":"${'z'.repeat(10_000)}","response":{"status_code":500}}`
    const highlight = { words: ['needle'], fields: ['response.status_code'] }
    const { page } = await show(row({ event_message: JSON.stringify(message), metadata }), { highlight })
    expect(await page.locator('.record mark').allTextContents()).toEqual(['needle', 'Needle'])
    expect(await page.locator('.line.matched .key').allTextContents()).toEqual(['status_code'])
    const shown = page.locator('.record-message .shown')
    expect((await shown.textContent())!.length).toBeLessThan(2_200)
    await page.getByRole('button', { name: 'Show all 5,008 characters' }).click()
    expect(await shown.textContent()).toBe(message)
    const value = item(page, 'long').locator('.shown')
    expect((await value.textContent())!.length).toBe(501)
    await page.getByRole('button', { name: 'Show all 10,000 characters' }).click()
    expect(await value.textContent()).toBe('z'.repeat(10_000))
  })

  test('shows a part of thousands of fields', async () => {
    const fields = Array.from({ length: 1_000 }, (_, i) => `"f${i}":{"a":{"b":[${Array(20).fill(i)}]}}`)
    const { page } = await show(row({ metadata: `{"first":0,${fields.join(',')}}` }))
    expect(await page.locator('[role=treeitem]').count()).toBeLessThan(500)
    const more = page.getByText('Show more, 901 are left')
    await more.click()
    expect(await focused(page)).toBe('f99: 1 field')
    expect(await page.getByText('Show more, 801 are left').count()).toBe(1)
    await page.getByRole('button', { name: 'Unfold all', exact: true }).click()
    await page.getByText('There are too many fields to unfold all at once.').waitFor()
    expect(await page.locator('[role=treeitem]').count()).toBeLessThan(2_200)
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
  })

  test('has room for values in the last of 120 levels', async () => {
    const metadata = `${'{"d":'.repeat(120)}"${'x'.repeat(300)}"${'}'.repeat(120)}`
    const { page } = await show(row({ metadata }), {}, { viewport: { width: 390, height: 700 } })
    await page.getByRole('button', { name: 'Unfold all', exact: true }).click()
    expect((await page.locator('.line[aria-level="120"] .value').boundingBox())!.width).toBeGreaterThan(100)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  })

  test('unfolds at first what has few members', async () => {
    const many = Array.from({ length: 9 }, (_, i) => `"f${i}":${i}`).join(',')
    const metadata = `{"request":[{${many},"cf":{${many}},"headers":{"a":1}}]}`
    const { page } = await show(row({ metadata }))
    const shown = await lines(page)
    expect(shown.slice(0, 3)).toEqual(['request: 1 element', '0: 11 fields', 'f0: 0'])
    expect(shown.slice(11)).toEqual(['cf: 9 fields', 'headers: 1 field', 'a: 1'])
  })

  test('says what is missing', async () => {
    const { page } = await show(row({ event_message: '""', metadata: '{}' }))
    await page.getByText('no message').waitFor()
    await page.getByText('This record has no metadata.').waitFor()
  })

  test('calls for the rows around it, and is closed', async () => {
    const { page } = await show(row())
    await page.getByRole('button', { name: 'Rows around' }).click()
    await page.getByRole('button', { name: 'Close', exact: true }).click()
    expect(await calls(page)).toEqual([['around', 'an-id'], ['close']])
  })

  /** Shows the rows around the row `own` of edge_logs. `answers`: the rows of each source, newest first. */
  async function showAroundOwn(answers: Record<string, unknown[] | number>, context: object = {}) {
    const asked: URLSearchParams[] = []
    const { page, faults } = await openPage(browser, ADDRESS, context, async (blank) => {
      await serveFiles(blank, called)
      await blank.route('**/query/logs.explore?*', (route) => {
        const params = new URL(route.request().url()).searchParams
        asked.push(params)
        const answer = answers[params.get('source')!] ?? []
        if (typeof answer === 'number') return route.fulfill({ status: answer, json: { error: 'It is broken.' } })
        return route.fulfill({ json: { result: answer } })
      })
    })
    const sources = ['auth_logs', 'edge_logs', 'postgres_logs', 'function_logs', 'storage_logs']
    const options = { project: 'p', source: 'edge_logs', sources }
    await callOn(
      page,
      `showAround(container, ${JSON.stringify(rowAt(0, 'own', 500))}, {
        ...${JSON.stringify(options)},
        onChoose: ({ id }, source) => calls.push([id, source]),
        onClose: () => calls.push(['close']),
      })`,
    )
    await page.evaluate('shown.loaded')
    return { page, faults, asked, sources }
  }

  const rowAt = (byUs: number, id: string, status: number) => ({
    id,
    timestamp: TIME_US + byUs,
    event_message: `message of ${id}`,
    metadata: { response: [{ status_code: status }] },
    rank: 1,
  })

  test('is shown among the rows of all sources around it', async () => {
    const answers = {
      edge_logs: [rowAt(5e6, 'later', 200), rowAt(0, 'own', 500), rowAt(-1_500_000, 'earlier', 404)],
      auth_logs: [{ ...rowAt(-1e6, 'login', 0), metadata: { level: 'error' } }],
      postgres_logs: [],
      function_logs: 400,
    }
    const { page, faults, asked, sources } = await showAroundOwn(answers)
    const rows = await page
      .locator('.around-row')
      .evaluateAll((all) => all.map((one) => [...one.children].map((cell) => cell.textContent)))
    expect(rows).toEqual([
      ['09:59:58.623', '−1.500 s', 'edge_logs', '404', 'message of earlier'],
      ['09:59:59.123', '−1.000 s', 'auth_logs', 'error', 'message of login'],
      ['10:00:00.123', 'this row', 'edge_logs', '500', 'message of own'],
      ['10:00:05.123', '+5.000 s', 'edge_logs', '200', 'message of later'],
    ])
    expect(await page.locator('[aria-current=true] .message').allTextContents()).toEqual(['message of own'])
    await page.getByText('4 rows of 2 sources. function_logs: It is broken.').waitFor()
    expect(asked.map((params) => params.get('source')).sort()).toEqual([...sources].sort())
    for (const params of asked) {
      expect(Object.fromEntries(params)).toMatchObject({
        project: 'p',
        start: '2026-11-20T09:59:00.123456Z',
        end: '2026-11-20T10:01:00.123457Z',
      })
    }
    await page.evaluate('shown.focus()')
    for (const key of ['ArrowUp', 'Home', 'Enter', 'End', 'Enter', 'Escape']) await page.keyboard.press(key)
    expect(await calls(page)).toEqual([['earlier', 'edge_logs'], ['later', 'edge_logs'], ['close']])
    expect(await seriousFindings(page)).toEqual([])
    expect(faults).toEqual([])
  })

  test('is shown among the nearest rows if there are many', async () => {
    const many = Array.from({ length: 101 }, (_, i) =>
      rowAt((50 - i) * 1_000, i === 50 ? 'own' : `row ${i}`, i === 50 ? 500 : 200),
    )
    const { page, asked } = await showAroundOwn({ edge_logs: many }, { viewport: { width: 390, height: 700 } })
    const ofEdge = asked
      .filter((params) => params.get('source') === 'edge_logs')
      .map((params) => Object.fromEntries(params))
    expect(ofEdge).toMatchObject([
      { limit: '101' },
      { limit: '50', end: '2026-11-20T10:00:00.123457Z' },
      { limit: '50', start: '2026-11-20T10:00:00.123457Z', after: `${TIME_US}.1` },
    ])
    await page.getByText('Of edge_logs only the nearest are shown.').waitFor()
    expect(
      await page.locator('[aria-current]').evaluate((own) => {
        const [{ top, bottom }, list] = [own.getBoundingClientRect(), own.closest('ol')!.getBoundingClientRect()]
        return top >= list.top && bottom <= list.bottom
      }),
    ).toBe(true)
    expect(await seriousFindings(page)).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  })

  test.each([390, 1280])('has no serious finding of accessibility, %i pixels', async (width) => {
    const highlight = { words: ['needle'], fields: ['response.status_code'] }
    const { page } = await show(row(), { highlight }, { viewport: { width, height: 800 } })
    await item(page, 'status_code').click()
    expect(await seriousFindings(page)).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
  })
}

/** Shows a record in a container of its own, in place of the page's content. */
async function showOn(page: Page, json: string, options: object): Promise<void> {
  await callOn(
    page,
    `showRecord(container, parseExact(${JSON.stringify(json)}), {
      source: 'edge_logs',
      ...${JSON.stringify(options)},
      onFilter: (field, op, value) => calls.push(['filter', field, op, value ?? null]),
      onAround: ({ id }) => calls.push(['around', id]),
      onClose: () => calls.push(['close']),
    })`,
  )
}

/** Runs a call of a module of the page. The call is a text, since Vitest would rewrite the imports of a function. */
async function callOn(page: Page, call: string): Promise<void> {
  await page.evaluate(`(async () => {
    const { showRecord, showAround, parseExact } = await import('/called.js')
    const calls = globalThis.calls = []
    const container = document.createElement('div')
    container.className = 'card'
    document.querySelector('main').hidden = true
    document.body.append(container)
    globalThis.shown = ${call}
  })()`)
}
