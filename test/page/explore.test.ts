import type { Browser, Request } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { projectRef, TOP_RANK } from '../../src/generate/values/projects.js'
import { run, type Served, serve, TOKEN, temporaryFolder } from '../program/support/program.js'
import { createGate } from '../support/gate.js'
import { seriousFindings } from './axe.js'
import { bytesOf, CHROMIUM, launchBrowser, openPage, signIn, WITHOUT } from './browser.js'
import {
  type ApiRow,
  classesOf,
  fragmentOf,
  loaded,
  number,
  openSignedIn,
  rowsOf,
  send,
  serveGenerated,
  timeText,
  valuesOf,
} from './explore/page.js'
import { showAllAt, WIDTHS } from './explore/show-all.js'

const [SEED, ROWS] = [7, 6_000]
const PROJECT = projectRef(SEED, TOP_RANK)
const HASH = `#project=${PROJECT}&range=7day`

/** Returns a field of a record, which may have lists of one object in place of objects. */
// biome-ignore lint/suspicious/noExplicitAny: metadata is any JSON
const inner = (metadata: any, ...keys: string[]): any =>
  keys.reduce((value, key) => (Array.isArray(value) ? value[0] : value)?.[key], metadata)

if (CHROMIUM === undefined) test('there is no browser', () => console.log(WITHOUT))
else describe('the explorer', withBrowser)

function withBrowser(): void {
  let browser: Browser
  let service: Served
  let kill: () => Promise<void>
  beforeAll(async () => {
    browser = await launchBrowser()
    service = await serveGenerated({ rows: ROWS, seed: SEED }, (given) => {
      kill = given
    })
  })
  afterAll(async () => {
    await browser?.close()
    await kill?.()
  })

  const start = () => `start=${new Date(Date.now() - 7 * 86_400_000).toISOString()}`
  /** Returns all rows that match, newest first. */
  async function allRows(query: string, project = PROJECT): Promise<ApiRow[]> {
    const all: ApiRow[] = []
    for (let before = ''; ; ) {
      const page: ApiRow[] = await service.rows(
        `logs.explore?project=${project}&${start()}&limit=1000&${query}${before}`,
      )
      all.push(...page)
      if (page.length < 1_000) return all
      before = `&before=${page.at(-1)!.timestamp}.${page.at(-1)!.rank}`
    }
  }
  const open = (fragment: string, options?: Parameters<typeof openSignedIn>[3]) =>
    openSignedIn(browser, service, fragment, options)

  test('shows rows, histogram and fields as the endpoints answer, and what they cost', async () => {
    const { page, foreignRequests, faults, errors } = await open(HASH)
    await loaded(page)
    const rows = await allRows('source=edge_logs')
    const shown = await rowsOf(page)
    expect(shown.length).toBeGreaterThan(20)
    expect(shown).toEqual(
      rows
        .slice(0, shown.length)
        .map(({ timestamp, metadata }) => [
          timeText(timestamp),
          String(inner(metadata, 'response', 'status_code')),
          inner(metadata, 'request', 'method'),
          inner(metadata, 'request', 'path'),
          `${inner(metadata, 'response', 'origin_time')} ms`,
        ]),
    )

    const histogram: { class: string; count: number }[] = await service.rows(
      `logs.histogram?project=${PROJECT}&source=edge_logs&${start()}`,
    )
    const sums = new Map<string, number>()
    for (const row of histogram) sums.set(row.class, (sums.get(row.class) ?? 0) + row.count)
    expect(sums.size).toBeGreaterThan(2)
    expect(await classesOf(page)).toEqual(
      [...sums]
        .sort()
        .reverse()
        .map(([name, sum]) => [name, number(sum)]),
    )

    const fields: { field: string; values: { value: unknown; count: number }[] }[] = await service.rows(
      `logs.fields?project=${PROJECT}&source=edge_logs&${start()}`,
    )
    const names = await page
      .locator('.field-item')
      .evaluateAll((all) => all.map((one) => (one as HTMLElement).dataset.field))
    expect(names).toEqual(fields.map(({ field }) => field))
    const methods = fields.find(({ field }) => field === 'request.method')!
    expect(await valuesOf(page, 'request.method')).toEqual(
      methods.values.map(({ value, count }) => [value, number(count)]),
    )
    expect(await page.locator('#cost').textContent()).toMatch(
      /^(?:(?:list|histogram|fields): [\d,]+ rows read, [\d.]+ m?s(?: · |$)){3}$/,
    )
    expect([foreignRequests, faults, errors]).toEqual([[], [], []])
  })

  test('shows older rows by scrolling, each once, with few of them in the page', async () => {
    const rows = await allRows('source=edge_logs')
    expect(rows.length).toBeGreaterThan(250)
    const { page } = await open(HASH)
    await loaded(page)
    const seen = new Map<number, string>()
    let most = 0
    for (let last = -1; seen.size !== last; ) {
      last = seen.size
      const found = await page
        .locator('.rows')
        .evaluate((body) =>
          [...body.children].map(
            (row) => [row.getAttribute('aria-rowindex'), row.firstElementChild!.textContent] as const,
          ),
        )
      most = Math.max(most, found.length)
      for (const [index, time] of found) seen.set(Number(index) - 2, time!)
      await page.locator('#list').evaluate(async (list) => {
        list.scrollTop += list.clientHeight
        await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
      })
      await page.waitForFunction(() => !document.getElementById('list-size')!.textContent!.includes('loading'))
    }
    expect(Array.from(rows, (_, i) => seen.get(i))).toEqual(rows.map(({ timestamp }) => timeText(timestamp)))
    expect(seen.size).toBe(rows.length)
    expect(most).toBeLessThan(100)
    expect(await page.locator('#list-size').textContent()).toBe(`${number(rows.length)} rows · all`)
  })

  test('searches words while they are typed, and turns conditions into chips that can be removed', async () => {
    const { page } = await open(HASH)
    await loaded(page)
    await page.keyboard.press('/')
    await page.keyboard.type('FireFox')
    await page.waitForFunction(() => location.hash.includes('search=FireFox'))
    await loaded(page)
    const found = await allRows('source=edge_logs&search=firefox')
    expect(found.length).toBeGreaterThan(3)
    const sum = async () => (await classesOf(page)).reduce((all, [, count]) => all + Number(count.replace(',', '')), 0)
    expect(await sum()).toBe(found.length)

    await page.fill('#search', 'method:GET status>=400 -path:/auth/v1/user')
    await page.keyboard.press('Enter')
    await page.waitForFunction(() => document.querySelectorAll('#chips .chip').length === 3)
    await loaded(page)
    const chips = () => page.locator('#chips .chip span').allTextContents()
    expect(await chips()).toEqual([
      'request.method = GET',
      'response.status_code ≥ 400',
      'request.path ≠ /auth/v1/user',
    ])
    expect(await page.locator('#search').inputValue()).toBe('')
    const filter = [
      { field: 'request.method', op: '=', value: 'GET' },
      { field: 'response.status_code', op: '>=', value: 400 },
      { field: 'request.path', op: '!=', value: '/auth/v1/user' },
    ]
    const failed = await allRows(`source=edge_logs&filter=${encodeURIComponent(JSON.stringify(filter))}`)
    expect(failed.length).toBeGreaterThan(3)
    expect(await sum()).toBe(failed.length)
    expect((await rowsOf(page))[0]![3]).toBe(inner(failed[0]!.metadata, 'request', 'path'))

    await page.locator('#chips .chip').nth(1).click()
    expect(await chips()).toEqual(['request.method = GET', 'request.path ≠ /auth/v1/user'])
    await loaded(page)
    await page.goBack()
    await loaded(page)
    expect((await chips()).length).toBe(3)
    expect(await sum()).toBe(failed.length)
    await page.goBack()
    expect(await page.locator('#chips .chip').count()).toBe(0)
    expect(await page.locator('#search').inputValue()).toBe('FireFox')
  })

  test('keeps and excludes values of fields, and counts them over the whole range', async () => {
    const { page } = await open(`#project=${PROJECT}&source=postgres_logs&range=7day`)
    await loaded(page)
    const [[most], [second]] = (await valuesOf(page, 'parsed.error_severity')) as [[string, string], [string, string]]
    const count = async (filter: object[]) =>
      (await allRows(`source=postgres_logs&filter=${encodeURIComponent(JSON.stringify(filter))}`)).length
    const field = 'parsed.error_severity'
    await page.locator(`[data-field="${field}"] .drop`).first().click()
    await loaded(page)
    expect((await valuesOf(page, field)).map(([value]) => value)).not.toContain(most)
    await expect
      .poll(async () => (await fragmentOf(page)).filter)
      .toBe(JSON.stringify([{ field, op: '!=', value: most }]))
    await page.locator(`[data-field="${field}"] .keep`).first().click()
    await loaded(page)
    expect(await page.locator('#chips .chip span').allTextContents()).toEqual([
      `${field} ≠ ${most}`,
      `${field} = ${second}`,
    ])
    expect((await classesOf(page)).map(([, sum]) => sum)).toEqual([
      number(await count([{ field, op: '=', value: second }])),
    ])
    await page.getByText('Remove all').click()
    await page.selectOption('#source', 'edge_logs')
    await loaded(page)
    expect((await valuesOf(page, 'request.path')).length).toBe(10)
    await page.locator(`[data-field="request.path"] .link`).click()
    await page.getByText('Whole range.').waitFor()
    const all = (await allRows('source=edge_logs')).length
    const note = await page.locator('#field-note').textContent()
    const isSample = all > 2_000
    expect(note).toBe(
      isSample
        ? `Counts are of the newest 2,000 rows; request.path of all ${number(all)}.`
        : `Counts are of all ${number(all)} rows.`,
    )
    const [whole]: { values: { value: string; count: number }[] }[] = await service.rows(
      `logs.fields?project=${PROJECT}&source=edge_logs&${start()}&field=request.path`,
    )
    expect(whole!.values.length).toBe(50)
    expect(await valuesOf(page, 'request.path')).toEqual(
      whole!.values.map(({ value, count: rows }) => [value, number(rows)]),
    )
  })

  test('loads nothing more for a range that was left before its histogram was there', async () => {
    const gate = createGate()
    let histograms = 0
    let fields = 0
    const { page } = await openPage(browser, `${service.url}/${HASH}`, {}, async (blank) => {
      await blank.route('**/query/logs.histogram?*', async (route) => {
        histograms++
        if (histograms === 2) await gate.opened
        await route.continue().catch(() => {})
      })
      blank.on('request', (request) => {
        if (request.url().includes('/query/logs.fields?')) fields++
      })
    })
    await signIn(page, TOKEN)
    await loaded(page)
    await page.keyboard.press('6')
    await expect.poll(() => histograms, { timeout: 10_000 }).toBe(2)
    await page.keyboard.press('7')
    await loaded(page)
    gate.open()
    expect(histograms).toBe(3)
    expect(fields).toBe(2)
  })

  test('shows only what each source counts as an error', async () => {
    const { page } = await open(HASH)
    await loaded(page)
    await page.click('#errors')
    await loaded(page)
    expect((await classesOf(page)).map(([name]) => name)).toEqual(['5xx', '4xx'])
    await page.selectOption('#source', 'postgres_logs')
    await loaded(page)
    const classes = (await classesOf(page)).map(([name]) => name)
    expect(classes).toContain('error')
    expect(classes.filter((name) => !['fatal', 'error', 'panic'].includes(name))).toEqual([])
    await expect.poll(() => fragmentOf(page)).toMatchObject({ source: 'postgres_logs', errors: '1' })
    await page.locator('#list').focus()
    await page.keyboard.press('e')
    await loaded(page)
    expect((await classesOf(page)).length).toBeGreaterThan(classes.length)
  })

  test('shows the range that was dragged over, or selected with the keyboard', async () => {
    const { page } = await open(HASH)
    await loaded(page)
    const over = (await page.locator('#histogram .u-over').boundingBox())!
    const y = over.y + over.height / 2
    await page.mouse.move(over.x + over.width * 0.9, y)
    await page.mouse.down()
    await page.mouse.move(over.x + over.width * 0.97, y, { steps: 4 })
    await page.mouse.up()
    await page.waitForFunction(() => location.hash.includes('from='))
    await loaded(page)
    const count = async () => {
      const { from, to } = await fragmentOf(page)
      const rows: unknown[] = await service.rows(
        `logs.explore?project=${PROJECT}&source=edge_logs&start=${from}&end=${to}&limit=1000`,
      )
      return rows.length
    }
    const sum = async () => (await classesOf(page)).reduce((all, [, text]) => all + Number(text.replace(',', '')), 0)
    const dragged = await fragmentOf(page)
    expect(await sum()).toBe(await count())

    await page.locator('#histogram [role=slider]').focus()
    for (const key of ['Home', 'ArrowRight', 'Shift+ArrowRight', 'Shift+ArrowRight']) await page.keyboard.press(key)
    const slider = page.locator('#histogram [role=slider]')
    expect(await slider.getAttribute('aria-valuetext')).toMatch(/^2\d{3}-.*: /)
    // The frame of the focus is within the slider: the legend is right below.
    expect(await slider.evaluate((one) => getComputedStyle(one).outlineOffset)).toBe('-2px')
    await page.keyboard.press('Enter')
    await page.waitForFunction((from) => new URLSearchParams(location.hash.slice(1)).get('from') !== from, dragged.from)
    await loaded(page)
    const selected = await fragmentOf(page)
    expect(selected.from! > dragged.from! && selected.to! < dragged.to!).toBe(true)
    expect(await sum()).toBe(await count())
    await page.goBack()
    await expect.poll(() => fragmentOf(page)).toEqual(dragged)
    await page.goBack()
    await expect.poll(() => fragmentOf(page)).toMatchObject({ range: '7day' })
  })

  test('reads a range from texts, and says what is wrong with them', async () => {
    const { page } = await open(HASH)
    await loaded(page)
    await page.click('#range')
    await page.fill('#from', '2026-13-01')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.locator('#range-problem').textContent()).toContain('2026-13-01')
    await page.fill('#from', '2026-11-20 14:03')
    await page.fill('#to', '2026-11-20 15:00')
    await page.keyboard.press('Enter')
    await expect
      .poll(() => fragmentOf(page))
      .toMatchObject({ from: '2026-11-20T14:03:00.000000Z', to: '2026-11-20T15:00:00.000000Z' })
    expect(await page.locator('#range').textContent()).toBe('2026-11-20 14:03 – 15:00')
    await page.click('#range')
    expect(await page.inputValue('#to')).toBe('2026-11-20 15:00:00.000')
    for (const width of [390, 1_280]) {
      await page.setViewportSize({ width, height: 800 })
      if (width === 390) await page.click('#open-sheet')
      if (width === 390) await page.click('#range')
      expect(await page.locator('#to').evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0)
    }
    await page.keyboard.press('Escape')
    await page.locator('#list').focus()
    await page.keyboard.press('6')
    await expect.poll(() => fragmentOf(page)).toEqual({ project: PROJECT, range: '1day' })
    // The range of a day leaves both inputs empty.
    expect([await page.inputValue('#from'), await page.inputValue('#to')]).toEqual(['', ''])
  })

  test('opens a record with the keyboard, and restores everything but the token from a link', async () => {
    const { page } = await open(`${HASH}&errors=1&source=auth_logs`)
    await loaded(page)
    for (const key of ['j', 'j', 'Enter']) await page.keyboard.press(key)
    const filter = encodeURIComponent(JSON.stringify([{ field: 'status', op: '>=', value: 400 }]))
    const rows = await allRows(`source=auth_logs&filter=${filter}`)
    const place = (row: ApiRow) => `${row.timestamp}.${row.rank}`
    await page.locator('#detail').getByText(rows[1]!.id).waitFor()
    await expect.poll(async () => (await fragmentOf(page)).record).toBe(place(rows[1]!))
    await page.keyboard.press('j')
    await page.locator('#detail').getByText(rows[2]!.id).waitFor()
    expect(await page.locator('.rows [aria-selected=true]').getAttribute('aria-rowindex')).toBe('4')
    const link = page.url()
    expect(link).not.toContain(TOKEN)

    const other = await open(new URL(link).hash)
    await loaded(other.page)
    await other.page.locator('#detail').getByText(rows[2]!.id).waitFor()
    expect(await rowsOf(other.page)).toEqual(await rowsOf(page))
    expect(await other.page.locator('#errors').getAttribute('aria-pressed')).toBe('true')

    await page.keyboard.press('Escape')
    expect(await page.locator('#detail').isVisible()).toBe(false)
    expect(await page.evaluate(() => document.activeElement!.id)).toBe('list')
    await expect.poll(async () => (await fragmentOf(page)).record).toBeUndefined()
  })

  test('follows new rows that match, keeps rows in view in place, and stops', async () => {
    const project = 'live'
    const record = (name: string, status: number) => ({
      event_message: name,
      metadata: { request: { path: `/${name}` }, response: { status_code: status } },
    })
    await send(
      service,
      'edge_logs',
      project,
      Array.from({ length: 60 }, (_, i) => record(`old-${i}`, 500)),
    )
    const { page, errors } = await open(`#project=${project}&errors=1`)
    await loaded(page)
    await page.locator('#list').focus()
    await page.keyboard.press('l')
    await page.getByText('· live').waitFor()
    expect(await page.locator('#field-note').textContent()).toBe('Counts are of all 60 rows.')
    await send(service, 'edge_logs', project, [record('good', 200), record('bad', 503)])
    await page.locator('.rows .message', { hasText: '/bad' }).waitFor()
    expect(await page.locator('#field-note').textContent()).toBe('Counts are of the 60 rows before Live.')
    const paths = async () => (await rowsOf(page)).map((cells) => cells[3])
    expect((await paths()).slice(0, 3)).toEqual(['/bad', '/old-59', '/old-58'])

    await page.locator('#list').evaluate((list) => {
      list.scrollTop = 500
    })
    await page.waitForTimeout(100)
    const topOf = () =>
      page.locator('.rows .row', { hasText: '/old-35' }).evaluate((row) => row.getBoundingClientRect().top)
    const before = await topOf()
    await send(service, 'edge_logs', project, [record('worse', 504), record('worst', 505)])
    await page.locator('#unseen', { hasText: '2 new' }).waitFor()
    expect(await topOf()).toBe(before)
    await page.click('#unseen')
    expect((await paths()).slice(0, 3)).toEqual(['/worst', '/worse', '/bad'])
    expect(await page.locator('#unseen').isVisible()).toBe(false)
    await page.click('#live')
    expect(await page.locator('#live').getAttribute('aria-pressed')).toBe('false')
    expect(await page.locator('#list-size').textContent()).toBe('63 rows · all')
    await page.getByText('Counts are of all 63 rows.').waitFor()
    expect(errors).toEqual([])
  })

  test('says what is missing, with the way to it', async () => {
    const project = 'quiet'
    await send(service, 'storage_logs', project, [
      { timestamp: '2026-11-20T10:00:00.123456Z', event_message: 'the only one', metadata: { level: 'info' } },
    ])
    const { page } = await open(`#project=${project}&source=storage_logs&errors=1`)
    const state = page.locator('#list-state')
    await state.getByText('matches').waitFor()
    await state.getByRole('button', { name: /^Remove “Errors only”: level error or worse/ }).click()
    await state.getByText('The newest of its 1 rows is of 2026-11-20 10:00:00.123').waitFor()
    await state.getByRole('button', { name: 'Go to the newest row' }).click()
    await loaded(page)
    expect((await rowsOf(page)).map((cells) => cells.at(-1))).toEqual(['the only one'])
    await page.selectOption('#source', 'edge_logs')
    await state.getByText('No row of edge_logs is stored for this project').waitFor()
    await state.getByRole('button', { name: 'storage_logs (1)' }).click()
    await loaded(page)
    expect(await page.locator('.rows .row').count()).toBe(1)

    const nobody = await open('#project=nobody')
    await nobody.page.getByText('No row of project “nobody” is stored.').waitFor()
  })

  test('says at once that a project has no rows, in each view and whatever the conditions', async () => {
    const { page } = await open('#project=nobody&errors=1&search=x')
    const said = page.getByText('No row of project “nobody” is stored.').filter({ visible: true })
    await said.waitFor()
    for (const view of ['charts', 'api', 'explore']) {
      await page.click(`#view-${view}`)
      await said.waitFor()
    }
    await page.fill('#project', 'nobody-else')
    await page.press('#project', 'Enter')
    await page.getByText('No row of project “nobody-else” is stored.').waitFor()
    await page.click('#view-charts')
    await page.locator('#no-rows').getByText('nobody-else').waitFor()
    // The first rows of the project come after the list of projects.
    await send(service, 'edge_logs', 'late', [{ event_message: 'first' }])
    await page.fill('#project', 'late')
    await page.press('#project', 'Enter')
    await page.locator('#no-rows').waitFor({ state: 'hidden' })
    await page.click('#view-explore')
    await page.locator('#list-state').getByText('No row of edge_logs matches these conditions').waitFor()
  })

  test('takes the first project that matches on Enter', async () => {
    const names = ['match-many', 'match-few', 'a-match']
    for (const [i, name] of names.entries()) {
      const records = Array.from({ length: 9 - i }, () => ({ event_message: name }))
      await send(service, 'edge_logs', name, records)
    }
    const { page } = await open(HASH)
    await page.locator('#source option[value=edge_logs]').getByText('·').waitFor({ state: 'attached' })
    const enter = async (text: string) => {
      await page.fill('#project', text)
      await page.press('#project', 'Enter')
      await loaded(page)
      return (await fragmentOf(page)).project
    }
    expect(await enter('match')).toBe('match-many')
    expect(await enter('CH-FEW')).toBe('match-few')
    expect(await enter('  a-m ')).toBe('a-match')
    expect(await enter('match-few')).toBe('match-few')
    expect(await enter('matches-none')).toBe('matches-none')
    // The text of the field is the chosen name before the user writes.
    await page.click('#project')
    await page.press('#project', 'Enter')
    await expect.poll(async () => (await fragmentOf(page)).project).toBe('matches-none')
    await page.fill('#project', 'match')
    await page.press('#project', 'ArrowDown')
    await page.press('#project', 'ArrowDown')
    await page.press('#project', 'Enter')
    await loaded(page)
    await expect.poll(async () => (await fragmentOf(page)).project).toBe('match-few')
  })

  test('says of several words that they are one phrase', async () => {
    const { page } = await open(HASH)
    const note = page.locator('#search-note')
    const typed = async (text: string) => {
      await page.fill('#search', text)
      await page.waitForTimeout(400)
      return note.textContent()
    }
    expect(await typed('timeout')).toBe('')
    expect(await typed('refused AND timeout')).toContain('Read as one phrase, with “AND” in it')
    expect(await typed('"timed out"')).toBe('')
    await page.press('#search', 'Enter')
    expect([await page.inputValue('#search'), await note.textContent()]).toEqual(['"timed out"', ''])
    await page.fill('#search', 'a OR b')
    await page.press('#search', 'Enter')
    await page.locator('#search-problem').getByText('Write texts next to “OR” in quotes').waitFor()
    await page.fill('#search', 'timed out status>=500')
    await page.press('#search', 'Enter')
    await page.locator('#chips .chip').first().waitFor()
    expect([await page.inputValue('#search'), await note.textContent()]).toEqual([
      'timed out',
      expect.stringContaining('Read as one phrase: “timed out”.'),
    ])
    await page.fill('#search', '"timed out" method:GET')
    await page.press('#search', 'Enter')
    await page.locator('#chips .chip').nth(1).waitFor()
    expect([await page.inputValue('#search'), await note.textContent()]).toEqual(['"timed out"', ''])
  })

  test('shows an error of the conditions next to them', async () => {
    const { page } = await open(HASH)
    await loaded(page)
    await page.click('#search-help')
    const [help, button] = await Promise.all(
      ['#syntax', '#search-help'].map(async (id) => (await page.locator(id).boundingBox())!),
    )
    expect(help!.y).toBeGreaterThanOrEqual(button!.y + button!.height)
    await page.keyboard.press('Escape')
    const before = await rowsOf(page)
    for (const [text, problem] of [
      ['path:/a(/', 'The pattern is not valid RE2: missing ): a(.'],
      ['status>==', 'Write one of'],
    ] as const) {
      await page.fill('#search', text)
      await page.keyboard.press('Enter')
      await page.locator('#search-problem').getByText(problem).waitFor()
      expect(await page.locator('#chips').isVisible()).toBe(false)
      expect((await rowsOf(page)).slice(0, 10)).toEqual(before.slice(0, 10))
    }
    // A link may have a wrong pattern.
    await page.evaluate(() => {
      const filter = JSON.stringify([{ field: 'request.path', op: 'matches', value: 'a(' }])
      location.hash += `&filter=${encodeURIComponent(filter)}`
    })
    await page.locator('#list[data-state=failed]').waitFor()
    expect(await page.locator('#search-problem').textContent()).toContain('a(')
    await page.locator('#chips .chip').click()
    await loaded(page)
    expect(await page.locator('#search-problem').textContent()).toBe('')
    expect((await rowsOf(page)).length).toBeGreaterThan(20)

    // Rows that cannot be loaded again stay, under one message.
    await page.route('**/api/**', (route) => route.abort())
    await page.locator('#list').focus()
    await page.keyboard.press('r')
    await page.locator('#list[data-state=stale]').waitFor()
    await page
      .locator('#list-size')
      .getByText('The service cannot be reached. These rows were loaded before.')
      .waitFor()
    expect(await rowsOf(page)).toEqual(before)
    expect([await page.locator('#notice').isVisible(), await page.locator('#list-state').isVisible()]).toEqual([
      false,
      false,
    ])
    expect(await page.locator('#field-note').textContent()).toMatch(/^Counts are of/)
    await page.unrouteAll()
    await page.keyboard.press('r')
    await page.locator('#list[data-state=rows]').waitFor()
    expect(await page.locator('#list-size').textContent()).toMatch(/^100 rows/)
  })

  test('says that fields are loading, why there are none, and which values cannot be counted', async () => {
    const { page } = await open(HASH)
    await loaded(page)
    const [list, note] = [page.locator('#field-list'), page.locator('#field-note')]
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const refuse = (code: string) => ({ status: 400, json: { error: 'It is broken.', code } })
    await page.route('**/logs.fields?*', async (route) => {
      await held
      await route.fulfill(refuse('internal'))
    })
    await page.click('#refresh')
    await note.getByText('Loading …').waitFor()
    release()
    await list.getByText('It is broken.').waitFor()
    expect([await note.textContent(), await list.locator('.field-item').count()]).toEqual(['', 0])
    await page.unroute('**/logs.fields?*')
    await list.getByRole('button', { name: 'Try again' }).click()
    await note.getByText('Counts are of').waitFor()
    await page.fill('#find-field', 'Of nothing')
    expect(await note.textContent()).toBe('No field has “of nothing” in its name.')
    await page.fill('#find-field', '')
    expect(await note.textContent()).toMatch(/^Counts are of /)

    let code = 'internal'
    await page.route('**/logs.fields?*field=*', (route) => route.fulfill(refuse(code)))
    const path = page.locator('[data-field="request.path"]')
    const shown = await valuesOf(page, 'request.path')
    for (let i = 0; i < 2; i++) {
      await path.locator('.link').click()
      await path.locator('.link:enabled').waitFor()
    }
    expect(await path.locator('.error').allTextContents()).toEqual(['It is broken.'])
    code = 'too_many_groups'
    await path.locator('.link').click()
    await path.getByText('more than 100,000 different values').waitFor()
    expect(await path.locator('.link, .error').count()).toBe(0)
    expect(await valuesOf(page, 'request.path')).toEqual(shown)

    const nobody = await open('#project=nobody')
    await nobody.page.getByText('No rows, so no fields.').waitFor()
  })

  test('asks for a project with a list of them, and takes a part of its name', async () => {
    const { page } = await open('')
    await page.getByText('Which project?').waitFor()
    const { result } = (await (await service.get('/api/projects')).json()) as {
      result: { project: string; rows: number }[]
    }
    const sums = new Map<string, number>()
    for (const { project, rows } of result) sums.set(project, (sums.get(project) ?? 0) + rows)
    const most = [...sums].sort(([, a], [, b]) => b - a)[0]!
    const first = page.locator('#project-list button').first()
    expect(await first.locator('.name').textContent()).toBe(most[0])
    expect(await first.locator('.number').textContent()).toBe(`${number(most[1])} rows`)
    await page.fill('#project', PROJECT.slice(2, 12).toUpperCase())
    await page.locator('#project-options [role=option]').first().waitFor()
    await page.keyboard.press('Enter')
    await loaded(page)
    await expect.poll(() => fragmentOf(page)).toEqual({ project: PROJECT })
  })

  test('keeps the name that is typed while the page learns what the service offers', async () => {
    const gate = createGate()
    const { page } = await openPage(browser, `${service.url}/`, {}, async (blank) => {
      await blank.route(/api\/(endpoints|projects\?.*)$/, async (route) => {
        await gate.opened
        await route.continue()
      })
    })
    const right = await page.locator('#help').evaluate((one) => innerWidth - one.getBoundingClientRect().right)
    expect(right).toBeLessThan(50)
    await signIn(page, TOKEN)
    await page.locator('#choose').getByText('Loading …').waitFor()
    await page.fill('#project', PROJECT)
    const answer = page.waitForResponse('**/api/endpoints')
    gate.open()
    await (await answer).finished()
    await page.waitForTimeout(100)
    expect(await page.inputValue('#project')).toBe(PROJECT)
    await page.press('#project', 'Enter')
    await loaded(page)
    await expect.poll(() => fragmentOf(page)).toEqual({ project: PROJECT })
  })

  test('counts the rows of a project that the list of projects lacks', async () => {
    const row = (i: number) => ({ project: `a${10_000 + i}`, source: 'edge_logs', rows: 1, newest: 1 })
    const others = Array.from({ length: 10_000 }, (_, i) => row(i))
    const asked: (string | null)[] = []
    const { page } = await openPage(browser, `${service.url}/${HASH}`, {}, async (blank) => {
      await blank.route(/api\/projects\?.*order=rows/, (route) => {
        const match = new URL(route.request().url()).searchParams.get('match')
        asked.push(match)
        return route.fulfill({ json: { result: match === null ? others : others.filter(() => match === 'few') } })
      })
    })
    await signIn(page, TOKEN)
    const { result } = (await (await service.get(`/api/projects?project=${PROJECT}`)).json()) as {
      result: { source: string; rows: number }[]
    }
    const { rows } = result.find(({ source }) => source === 'edge_logs')!
    expect(rows).toBeGreaterThan(100)
    const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })
    const shown = page.locator('#source option[value=edge_logs]')
    await expect.poll(() => shown.textContent()).toBe(`edge_logs · ${compact.format(rows)}`)
    await page.evaluate(() => {
      location.hash = 'project=mine'
    })
    await page.getByText('No row of project “mine” is stored.').waitFor()
    await page.evaluate(() => {
      location.hash = 'project='
    })
    await page.getByText('The 200 with the most rows of more than 10,000 projects.').waitFor()
    // The service is asked for the projects that the list lacks. Each text at once: a slow machine pauses between keys.
    await page.locator('#project').fill('few')
    await page.locator('#project-options').getByText('9.9K more').or(page.getByText('10K more')).waitFor()
    await page.locator('#project').fill('fewer')
    await page.getByText('No project matches “fewer”. Enter opens a project by its whole name.').waitFor()
    expect(await seriousFindings(page)).toEqual([])
    expect(asked).toEqual([null, 'few', 'fewer'])
  })

  test('lands on the project of a token that sees one', async () => {
    const folder = temporaryFolder()
    const create = ['token', 'create', '--scope', 'query', '--project', 'mine', '--data-dir', folder]
    const token = (await run(create)).stdout.toString().trim()
    const own = await serve(['--data-dir', folder])
    await send(own, 'edge_logs', 'mine', [{ event_message: 'x' }])
    await send(own, 'edge_logs', 'other', [{ event_message: 'y' }])
    const { page } = await openPage(browser, `${own.url}/`)
    await signIn(page, token)
    await loaded(page)
    await expect.poll(() => fragmentOf(page)).toEqual({ project: 'mine' })
    expect((await rowsOf(page)).length).toBe(1)
  })

  // The slow tests have the other widths.
  test.each([390, 1280])('has no serious finding of accessibility at %i pixels, and fits all widths', async (width) => {
    const { page, findings } = await showAllAt(width, (options) => open(`${HASH}&errors=1`, options))
    expect(findings).toEqual([])
    for (const other of WIDTHS) {
      await page.setViewportSize({ width: other, height: 900 })
      // Charts follow the width a frame later.
      await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(other)
    }
  })

  test('has its controls in a dialog on a phone, and one row of them from 1024 pixels on', async () => {
    const { page } = await open(HASH, { viewport: { width: 390, height: 844 } })
    await loaded(page)
    await page.click('#open-sheet')
    await page.selectOption('#source', 'auth_logs')
    await loaded(page)
    expect(await page.locator('#sheet').isVisible()).toBe(false)
    const summary = page.locator('#open-sheet')
    expect(await summary.textContent()).toBe(`${PROJECT} auth_logs · Last 7 days`)
    // The project is as long as the projects of the platform.
    const isWhole = (part: string) => summary.locator(part).evaluate((one) => one.scrollWidth <= one.clientWidth)
    expect(PROJECT).toHaveLength(20)
    for (const width of [360, 390, 768]) {
      await page.setViewportSize({ width, height: 844 })
      expect([await isWhole('.project'), await isWhole('.shown')], `${width}`).toEqual([true, true])
    }
    await page.setViewportSize({ width: 1_024, height: 800 })
    const tops = await page
      .locator('.bar :is(button, input, select):visible')
      .evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().top)))
    expect(tops.length).toBeGreaterThan(8)
    expect(Math.max(...tops) - Math.min(...tops)).toBeLessThan(12)
  })

  test('weighs at most 150 KB when it is opened', async () => {
    const requests = new Map<string, Request>()
    const { page } = await openPage(browser, `${service.url}/${HASH}`, {}, async (blank) => {
      blank.on('requestfinished', (request) => {
        requests.set(request.url(), request)
      })
    })
    await signIn(page, TOKEN)
    await loaded(page)
    const files = [...requests].filter(([url]) => !url.includes('/api/')).map(([, request]) => request)
    expect(files.length).toBeGreaterThan(5)
    expect(await bytesOf(files)).toBeLessThan(150 * 1_024)
  })

  test('names all scripts that it loads first', async () => {
    const requested: string[] = []
    const { page } = await openPage(browser, `${service.url}/${HASH}`, {}, async (blank) => {
      blank.on('request', (request) => {
        if (request.resourceType() === 'script') requested.push(request.url())
      })
    })
    await signIn(page, TOKEN)
    await loaded(page)
    const named = await page
      .locator('link[rel=modulepreload], script[type=module]')
      .evaluateAll((all) => all.map((one) => (one as HTMLLinkElement).href || (one as HTMLScriptElement).src))
    expect(named.length).toBeGreaterThanOrEqual(2)
    expect([...new Set(requested)].sort()).toEqual([...named].sort())
  })
}
