import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, BrowserContextOptions, Page, Request } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { projectRef, TOP_RANK } from '../../src/generate/values/projects.js'
import { TEMPLATES } from '../../src/page/sql/templates.js'
import { type Served, serve, TOKEN, temporaryFolder, until } from '../program/support/program.js'
import { seriousFindings } from './axe.js'
import { bytesOf, CHROMIUM, launchBrowser, openPage, signIn, WITHOUT } from './browser.js'
import { fragmentOf, openSignedIn, send, serveGenerated } from './explore/page.js'

const SEED = 11
const PROJECT = projectRef(SEED, TOP_RANK)
const HASH = `#view=sql&project=${PROJECT}&range=7day`

if (CHROMIUM === undefined) test('there is no browser', () => console.log(WITHOUT))
else describe('the SQL view', withBrowser)

const cellsOf = (page: Page, table = '.answer-table') =>
  page
    .locator(`${table} tbody tr`)
    .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent ?? '')))

const editorText = (page: Page) =>
  page.locator('.cm-line').evaluateAll((lines) => lines.map((line) => line.textContent).join('\n'))

const run = (page: Page) => page.getByRole('button', { name: 'Run', exact: true })

/** Replaces the query in the editor. */
async function write(page: Page, sql: string): Promise<void> {
  await page.locator('.cm-content').focus()
  await page.keyboard.press('Control+A')
  await page.keyboard.press('Delete')
  await page.keyboard.insertText(sql)
  // Closes the list of suggestions, or leaves the editor if there is none.
  await page.keyboard.press('Escape')
  await page.locator('.cm-content').focus()
}

/** Resolves when the answer is shown, or the reason why there is none. */
const answered = (page: Page) =>
  page.waitForFunction(() => {
    const state = document.querySelector<HTMLElement>('#sql .answer')?.dataset.state ?? ''
    return ['shown', 'empty'].includes(state) && document.querySelector('.sql-actions .first')!.textContent === 'Run'
  })

function withBrowser(): void {
  let browser: Browser
  let service: Served
  const kills: (() => Promise<void>)[] = []
  const keepKill = (kill: () => Promise<void>) => void kills.push(kill)
  beforeAll(async () => {
    browser = await launchBrowser()
    service = await serveGenerated({ rows: 6_000, seed: SEED, args: ['--sql'] }, keepKill)
  })
  afterAll(async () => {
    await browser?.close()
    for (const kill of kills) await kill()
  })

  /** Opens the view. `queries` and `fields`: the requests of queries and of fields, as their parameters. */
  async function open(fragment = HASH, options: BrowserContextOptions = {}) {
    const [queries, fields]: URLSearchParams[][] = [[], []]
    const errors: string[] = []
    const opened = await openPage(browser, `${service.url}/${fragment}`, options, async (blank) => {
      blank.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
      blank.on('request', (request) => {
        const { pathname, searchParams } = new URL(request.url())
        if (pathname.endsWith('/logs.all')) queries!.push(searchParams)
        if (pathname.endsWith('/logs.fields')) fields!.push(searchParams)
      })
    })
    await signIn(opened.page, TOKEN)
    await opened.page.locator('.cm-content').waitFor()
    return { ...opened, errors, queries: queries!, fields: fields! }
  }

  /** Returns the rows of a query over the last week, from the API. */
  const rowsOf = (sql: string, project = PROJECT) => service.rows(`logs.all?${new URLSearchParams({ project, sql })}`)

  test('runs a query on Ctrl+Enter, and shows the rows that the API answers', async () => {
    const { page, queries, faults, errors } = await open()
    const sql = 'select request.method, count(*) as n\nfrom edge_logs\ngroup by method\norder by n desc, method'
    await write(page, sql)
    expect(queries).toEqual([])
    await page.keyboard.press('Control+Enter')
    await answered(page)
    const rows = await rowsOf(sql)
    expect(rows.length).toBeGreaterThan(3)
    expect(await cellsOf(page)).toEqual(rows.map(({ method, n }) => [method, n.toLocaleString('en')]))
    expect(await page.locator('.answer-size').textContent()).toMatch(new RegExp(`^${rows.length} rows · [\\d.]+ m?s$`))
    await expect.poll(() => fragmentOf(page)).toMatchObject({ view: 'sql', sql })
    expect(queries.map((query) => query.get('sql'))).toEqual([sql])
    expect([faults, errors]).toEqual([[], []])
  })

  test('shows all digits of a number that a double has not', async () => {
    const { page, faults } = await open()
    await write(page, 'select 9007199254740993 as requests')
    await page.keyboard.press('Control+Enter')
    await answered(page)
    expect(await cellsOf(page)).toEqual([['9007199254740993']])
    // A lone number is at the left, below the column's name.
    expect((await page.locator('.answer-table tbody td').boundingBox())!.width).toBeLessThan(200)
    expect(faults).toEqual([])
  })

  test('runs no query of a link, nor of the back button', async () => {
    const first = 'select count(*) as first from edge_logs'
    const { page, queries, fields } = await open(`${HASH}&sql=${encodeURIComponent(first)}`)
    expect(await editorText(page)).toBe(first)
    await page.getByText('Run the query to see its rows.').waitFor()
    expect([queries, fields]).toEqual([[], []])
    await run(page).click()
    await answered(page)
    await write(page, 'select count(*) as second from edge_logs')
    await run(page).click()
    await page.getByRole('columnheader', { name: 'second' }).waitFor()
    await page.goBack()
    expect(await editorText(page)).toBe(first)
    await page.getByText('Run the query to see its rows.').waitFor()
    expect(await page.locator('.answer-table').isVisible()).toBe(false)
    expect(queries).toHaveLength(2)
    await page.click('#view-explore')
    await expect.poll(() => fragmentOf(page)).not.toHaveProperty('sql')
    await page.goBack()
    await expect.poll(async () => (await fragmentOf(page)).sql).toBe(first)
    expect(await editorText(page)).toBe(first)
  })

  test('reads exactly the range of the list, to the microsecond, and again when another is chosen', async () => {
    const [fromUs, toUs] = [1_795_000_000_000_001, 1_795_000_000_000_004]
    const iso = (us: number) => `${new Date(Math.floor(us / 1_000)).toISOString().slice(0, -1)}${us % 1_000}Z`
    const at = (us: number) => iso(us).replace(/(\.\d{3})(\d)Z/, '$100$2Z')
    const records = [-1, 0, 1, 2, 3, 4].map((offset) => ({
      id: `edge-${offset}`,
      timestamp: fromUs + offset,
      event_message: 'x',
      metadata: {},
    }))
    await send(service, 'edge_logs', 'edges', records)
    const fragment = `#project=edges&from=${at(fromUs)}&to=${at(toUs)}`
    const { page, queries } = await open(`${fragment}&view=sql`)
    await write(page, 'select id from edge_logs order by timestamp')
    await run(page).click()
    await answered(page)
    expect((await cellsOf(page)).flat()).toEqual(['edge-0', 'edge-1', 'edge-2'])
    const listed = page.waitForRequest((request) => request.url().includes('logs.explore'))
    await page.click('#view-explore')
    const { searchParams } = new URL((await listed).url())
    expect([searchParams.get('start'), searchParams.get('end')]).toEqual([at(fromUs), at(toUs)])
    await page.locator('.rows .row').first().waitFor()
    expect(await page.locator('.rows .row').count()).toBe(3)

    await page.click('#view-sql')
    expect((await cellsOf(page)).flat()).toEqual(['edge-0', 'edge-1', 'edge-2'])
    expect(queries).toHaveLength(1)
    await page.click('#range')
    await page.click('#presets button:first-child')
    await page.getByText('The answer has no row.').waitFor()
    expect(queries).toHaveLength(2)
    expect(queries[1]!.get('iso_timestamp_end')).toBeNull()
  })

  test('has templates, each of which runs and gives the rows of the API', async () => {
    const { page, errors } = await open()
    for (const { title, sql } of TEMPLATES) {
      await page.getByRole('button', { name: 'Templates' }).click()
      await page.getByRole('dialog', { name: 'Templates' }).getByText(title, { exact: true }).click()
      expect(await editorText(page)).toBe(sql)
      await run(page).click()
      await answered(page)
      expect(await page.locator('.sql-problem').textContent()).toBe('')
      const rows = await rowsOf(sql)
      expect([title, rows.length > 0]).toEqual([title, true])
      expect([title, await page.locator('.answer-size').textContent()]).toEqual([
        title,
        expect.stringMatching(new RegExp(`^${rows.length} rows? ·`)),
      ])
    }
    expect(errors).toEqual([])
  })

  test('says when rows were left out', async () => {
    const { page } = await open()
    await write(page, 'select id from edge_logs')
    await run(page).click()
    await answered(page)
    // The project has fewer requests than that, so each is there twice.
    const all = await rowsOf('select count(*) as n from edge_logs')
    expect(all[0].n).toBeLessThan(1_000)
    await write(page, `select id from edge_logs${' union all select id from edge_logs'.repeat(9)}`)
    await run(page).click()
    await page.getByText('The first 1,000 rows, the maximum').waitFor()
  })

  test('shows the warnings of an answer, until the next one', async () => {
    const { page } = await open()
    const warnings = page.getByRole('status', { name: 'Warnings' })
    await write(page, 'select id, evnt_message from edge_logs')
    await run(page).click()
    await warnings.getByText('field evnt_message. Did you mean event_message?').waitFor()
    await answered(page)
    await write(page, 'select id from edge_logs')
    await run(page).click()
    await warnings.waitFor({ state: 'hidden' })
  })

  test('marks what is wrong, and moves there', async () => {
    const { page } = await open()
    await write(page, 'select\n  nope(id) as n\nfrom edge_logs')
    await run(page).click()
    const problem = page.locator('.sql-problem')
    await problem.getByText('There is no function nope.').waitFor()
    expect(await page.locator('.cm-wrong').textContent()).toBe('nope')
    await problem.getByRole('button', { name: 'line 2, column 3' }).click()
    await page.keyboard.type('x')
    expect(await editorText(page)).toBe('select\n  xnope(id) as n\nfrom edge_logs')
    // The mark and the message were about the text before.
    expect(await page.locator('.cm-wrong').count()).toBe(0)
    expect(await problem.textContent()).toBe('')

    await write(page, 'select nope(id) from edge_logs')
    await page.getByRole('button', { name: 'Explain' }).click()
    await problem.getByRole('button', { name: 'line 1, column 8' }).waitFor()
    expect(await page.locator('.cm-wrong').textContent()).toBe('nope')

    await write(page, 'select cast(event_message as int64) as n from edge_logs')
    await run(page).click()
    await problem.getByText('cast').waitFor()
    await write(page, '   ')
    await run(page).click()
    await problem.getByText('Write a query, or choose a template.').waitFor()
  })

  test('explains a query by its steps and their rows', async () => {
    const { page } = await open()
    const sql = 'select request.method, count(*) as n from edge_logs where response.status_code >= 400 group by method'
    await write(page, sql)
    await page.getByRole('button', { name: 'Explain' }).click()
    await page.locator('.plan').waitFor()
    const steps = await rowsOf(`explain ${sql}`)
    const cells = await cellsOf(page, '.plan')
    expect(cells.map(([step, operator, , rows]) => [step, operator, rows])).toEqual(
      steps.map(({ step, operator, rows }) => [String(step), operator, rows.toLocaleString('en')]),
    )
    expect(cells.map(([, operator]) => operator)).toContain('group')
    await expect.poll(async () => (await fragmentOf(page)).sql).toBe(sql)
    await run(page).click()
    await page.locator('.answer-table tbody tr').first().waitFor()
    expect(await page.locator('.plan').isVisible()).toBe(false)
  })

  test('cancels a query, says when to try again, and sends none that is too long', async () => {
    const { page } = await open()
    const answers: (() => void)[] = []
    await page.route('**/logs.all?**', async (route) => {
      await new Promise<void>((resolve) => {
        answers.push(resolve)
      })
      await route.fulfill({
        status: 503,
        headers: { 'Retry-After': '7' },
        body: '{"error":{"message":"Too many queries run.","code":"overloaded"}}',
      })
    })
    const cancel = page.getByRole('button', { name: 'Cancel', exact: true })
    await run(page).click()
    await expect.poll(() => answers.length).toBe(1)
    const failed = page.waitForEvent('requestfailed')
    await cancel.click()
    await failed
    await page.getByText('Cancelled.').waitFor()
    await run(page).click()
    await expect.poll(() => answers.length).toBe(2)
    answers[1]!()
    await page.getByText('Too many queries run. Run it again in 7 seconds').waitFor()
    await run(page).waitFor()
    await page.unroute('**/logs.all?**')

    await write(page, `select length('${'ü'.repeat(11_000)}') as characters`)
    await run(page).click()
    await page.locator('.answer-table tbody td', { hasText: /^11,?000$/ }).waitFor()
  })

  test('suggests sources, fields that are there, and functions', async () => {
    const { page } = await open()
    const options = page.locator('.cm-tooltip-autocomplete li')
    await write(page, 'select  from edge_logs')
    const { field } = (await service.rows(`logs.fields?project=${PROJECT}&source=edge_logs`)).find(
      (row) => row.field.startsWith('request.cf.') && row.field.split('.').length === 3,
    )
    await page.locator('.cm-content').press('Home')
    for (let i = 0; i < 'select '.length; i++) await page.keyboard.press('ArrowRight')
    await page.keyboard.type(field.slice(0, -1), { delay: 5 })
    await options
      .filter({ hasText: field.split('.').at(-1) })
      .first()
      .waitFor()
    // Fields of a slow service are added to the list when the fields arrive.
    await page.route('**/logs.fields?*source=auth_logs*', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 800))
      await route.continue()
    })
    await write(page, '')
    await page.keyboard.type('select * from auth_logs where le', { delay: 5 })
    await options.filter({ hasText: /^level/ }).waitFor()
    await write(page, 'select * from auth_logs where ')
    await page.keyboard.press('Control+End')
    await page.keyboard.type('au', { delay: 5 })
    await options.filter({ hasText: 'auth_event.log_type' }).waitFor()
    await write(page, '')
    await page.keyboard.type('select count(*) from func', { delay: 5 })
    await options.filter({ hasText: 'function_edge_logs' }).first().waitFor()
    // Before that, Enter would be a new line.
    await page.waitForTimeout(100)
    await page.keyboard.press('Enter')
    expect(await editorText(page)).toBe('select count(*) from function_edge_logs')
    await write(page, '')
    await page.keyboard.type('select approx_quan', { delay: 5 })
    await options.first().waitFor()
    await page.waitForTimeout(100)
    await page.keyboard.press('Enter')
    expect(await editorText(page)).toBe('select approx_quantiles(x, 100)[offset(95)]')
    // Running the query closes the suggestions.
    await write(page, '')
    await page.keyboard.type('select count(*) as n from edge_logs where req', { delay: 5 })
    await options.first().waitFor()
    await page.keyboard.press('Control+Enter')
    await options.first().waitFor({ state: 'detached' })
  })

  test('replaces what is selected, without a report of the Content Security Policy', async () => {
    const { page, faults } = await open()
    await write(page, 'select 1,\n  2,\n  3')
    await page.keyboard.press('Control+A')
    await page.keyboard.press('x')
    expect(await editorText(page)).toBe('x')
    await page.keyboard.press('Control+Z')
    expect(await editorText(page)).toBe('select 1,\n  2,\n  3')
    await page.keyboard.press('Control+A')
    await page.keyboard.press('(')
    expect(await editorText(page)).toBe('(select 1,\n  2,\n  3)')
    expect(faults).toEqual([])
  })

  test('keys of the page are letters in the editor; Tab and Esc leave it', async () => {
    const { page } = await open()
    await write(page, '')
    await page.keyboard.type('v t 1')
    await page.keyboard.press('Escape')
    await expect.poll(() => fragmentOf(page)).toMatchObject({ view: 'sql', range: '7day' })
    expect(await editorText(page)).toBe('v t 1')
    await page.keyboard.press('Escape')
    await page.keyboard.press('/')
    await page.keyboard.press('End')
    await page.keyboard.type('2')
    expect(await editorText(page)).toBe('v t 12')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await page.keyboard.press('1')
    await expect.poll(async () => (await fragmentOf(page)).range).toBe('5min')
    await page.keyboard.press('/')
    await page.keyboard.press('Tab')
    expect(await run(page).evaluate((button) => button === document.activeElement)).toBe(true)
  })

  test('keeps the queries that were run in this browser, newest first, until they are cleared', async () => {
    const { page } = await open()
    const history = page.getByRole('dialog', { name: 'History' })
    const openHistory = () => page.getByRole('button', { name: 'History' }).click()
    await openHistory()
    await history.getByText('No query was run yet.').waitFor()
    await history.getByRole('button', { name: 'Close' }).click()
    for (const n of [1, 2, 1]) {
      await write(page, `select ${n} as n from edge_logs limit 1`)
      await run(page).click()
      await answered(page)
    }
    await write(page, 'select nope from')
    await run(page).click()
    await page.locator('.cm-wrong').waitFor({ state: 'attached' })
    await page.reload()
    await signIn(page, TOKEN)
    await page.locator('.cm-content').waitFor()
    await openHistory()
    const kept = await history.locator('code').allTextContents()
    expect(kept).toEqual([1, 2].map((n) => `select ${n} as n from edge_logs limit 1`))
    expect(await page.evaluate(() => JSON.stringify({ ...localStorage }))).not.toContain(TOKEN)
    await history.locator('code').last().click()
    expect(await editorText(page)).toBe(kept[1])
    await openHistory()
    await history.getByRole('button', { name: 'Clear' }).click()
    await history.getByText('No query was run yet.').waitFor()
    expect(await page.evaluate(() => localStorage.getItem('logweir-sql-history'))).toBeNull()
  })

  test('makes a file of a query, with which a service answers it as an endpoint', async () => {
    const { page } = await open()
    const sql =
      '-- name: of a comment\nselect request.path, count(*) as n from edge_logs group by path order by n desc, path'
    await write(page, sql)
    await run(page).click()
    await answered(page)
    const shown = await cellsOf(page)
    await page.getByRole('button', { name: 'Save as endpoint' }).click()
    const dialog = page.getByRole('dialog', { name: 'Save as endpoint' })
    await dialog.getByLabel('Name').fill('wrong name')
    await dialog.getByText('A name begins with a letter').waitFor()
    await dialog.getByLabel('Name').fill('paths.by-count')
    await dialog.getByLabel('Description').fill('Requests by path.')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('button', { name: 'Download' }).click(),
    ])
    expect(download.suggestedFilename()).toBe('paths.by-count.sql')
    const file = await dialog.locator('pre').textContent()
    const folder = join(temporaryFolder(), 'endpoints')
    mkdirSync(folder)
    const path = join(folder, download.suggestedFilename())
    await download.saveAs(path)
    writeFileSync(join(folder, 'shown.sql'), file!.replace('paths.by-count', 'shown'))
    const own = await serve(['--in-memory', '--endpoints', folder])
    const records = (await rowsOf('select timestamp, event_message, metadata from edge_logs')).map((row) => ({
      ...row,
      metadata: row.metadata,
    }))
    await send(own, 'edge_logs', PROJECT, records)
    const rows = await until(
      () => own.rows(`paths.by-count?project=${PROJECT}`),
      (found) => found.length > 0,
    )
    expect(rows.map(({ path: name, n }) => [name, n.toLocaleString('en')])).toEqual(shown)
    expect(await own.rows(`shown?project=${PROJECT}`)).toEqual(rows)
  })

  test('saves the rows as the API answers them, and copies a link to the query', async () => {
    const { page } = await open(HASH, { permissions: ['clipboard-read', 'clipboard-write'] })
    const sql = 'select id, metadata, 12345678901234567890 as big from edge_logs order by id limit 20'
    await write(page, sql)
    await run(page).click()
    await answered(page)
    await page.locator('#sql').getByRole('button', { name: 'Export' }).click()
    await page.locator('#sql').getByLabel('CSV').check()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.locator('#sql').getByRole('button', { name: 'Save', exact: true }).click(),
    ])
    expect(download.suggestedFilename()).toMatch(new RegExp(`^sql_${PROJECT}_.*\\.csv$`))
    const path = `logs.all?${new URLSearchParams({ project: PROJECT, sql })}`
    const answer = await service.get(`/api/endpoints/query/${path}`, { headers: { Accept: 'text/csv' } })
    expect(readFileSync(await download.path(), 'utf8')).toBe(await answer.text())
    await page.getByRole('button', { name: 'Copy link' }).click()
    await page.getByText('Copied').waitFor()
    const link = await page.evaluate(() => navigator.clipboard.readText())
    expect(new URLSearchParams(new URL(link).hash.slice(1)).get('sql')).toBe(sql)
    expect(link).not.toContain(TOKEN)
  })

  test('forgets rows when the user signs out', async () => {
    const { page } = await open()
    await write(page, 'select id from edge_logs limit 5')
    await run(page).click()
    await answered(page)
    await page.click('#sign-out')
    await signIn(page, TOKEN)
    await page.locator('.cm-content').waitFor()
    expect(await cellsOf(page)).toEqual([])
    // The query is still there.
    expect(await editorText(page)).toBe('select id from edge_logs limit 5')
  })

  test('is offered only if the service runs SQL; a link says how to turn it on', async () => {
    const without = await serve(['--in-memory'], { atEnd: keepKill })
    await send(without, 'edge_logs', PROJECT, [{ timestamp: Date.now() * 1_000, event_message: 'x', metadata: {} }])
    const { page, errors } = await openSignedIn(browser, without, HASH)
    await page.getByText('logweir serve --sql').waitFor()
    expect(await page.locator('#view-sql').isVisible()).toBe(false)
    await page.keyboard.press('v')
    await page.locator('.rows .row').first().waitFor()
    for (const view of ['charts', 'api', 'explore']) {
      await page.keyboard.press('v')
      await expect.poll(async () => (await fragmentOf(page)).view ?? 'explore').toBe(view)
    }
    expect(await page.locator('.sql-editor').count()).toBe(0)
    expect(errors).toEqual([])
  })

  test('is loaded when it is opened, and weighs at most 150 KB', async () => {
    const scripts = new Map<string, Request>()
    const { page } = await openPage(browser, `${service.url}/#project=${PROJECT}`, {}, async (blank) => {
      blank.on('requestfinished', (request) => {
        if (request.resourceType() === 'script') scripts.set(new URL(request.url()).pathname, request)
      })
    })
    await signIn(page, TOKEN)
    await page.locator('#view-sql').waitFor()
    await page.waitForLoadState('networkidle')
    const first = [...scripts.keys()]
    expect(first.filter((path) => path.includes('sql'))).toEqual([])
    await page.click('#view-sql')
    await page.locator('.cm-content').waitFor()
    await page.waitForLoadState('networkidle')
    const later = [...scripts].filter(([path]) => !first.includes(path)).map(([, request]) => request)
    expect(await bytesOf(later)).toBeLessThan(150 * 1_024)
  })

  test.each([1_280, 390])('has no serious finding of axe at %s px, also in its dialogs', async (width) => {
    const { page, faults } = await open(HASH, { viewport: { width, height: 844 } })
    await run(page).click()
    await answered(page)
    expect(await seriousFindings(page)).toEqual([])
    await page.getByRole('button', { name: 'Table' }).click()
    await write(page, '')
    await page.keyboard.type('select count(*) from e', { delay: 5 })
    await page.locator('.cm-tooltip-autocomplete').waitFor()
    expect(await seriousFindings(page)).toEqual([])
    await write(page, 'select nope(1)')
    await page.getByRole('button', { name: 'Explain' }).click()
    await page.locator('.sql-problem button').waitFor()
    expect(await seriousFindings(page)).toEqual([])
    await write(page, 'select count(*) as n from edge_logs')
    await page.getByRole('button', { name: 'Explain' }).click()
    await page.locator('.plan').waitFor()
    expect(await seriousFindings(page)).toEqual([])
    for (const name of ['Templates', 'History', 'Save as endpoint']) {
      await page.getByRole('button', { name }).click()
      const dialog = page.getByRole('dialog', { name })
      await dialog.waitFor()
      expect([name, await seriousFindings(page)]).toEqual([name, []])
      await dialog.getByRole('button', { name: 'Close' }).click()
    }
    await write(page, 'select timestamp, event_message, metadata, 1 as one from edge_logs')
    await run(page).click()
    await answered(page)
    for (const place of [':root', '#content', '#sql .answer'])
      expect([place, await page.locator(place).evaluate((one) => one.scrollWidth - one.clientWidth)]).toEqual([
        place,
        0,
      ])
    expect(await page.locator('#sql').getByRole('button', { name: 'Export' }).isVisible()).toBe(true)
    expect(faults).toEqual([])
  })
}
