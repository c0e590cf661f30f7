import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { projectRef, TOP_RANK } from '../../../src/generate/values/projects.js'
import { ROOT, type Served, TOKEN } from '../../program/support/program.js'
import { seriousFindings } from '../axe.js'
import { CHROMIUM, launchBrowser, legends, signIn, WITHOUT } from '../browser.js'
import { fragmentOf, openSignedIn, serveGenerated } from '../explore/page.js'

const SEED = 7
const PROJECT = projectRef(SEED, TOP_RANK)
const HASH = `#project=${PROJECT}&view=api`
const ANSWER = '.answer[data-state="shown"]'

/** The values that each endpoint requires besides the project. */
const VALUES: Record<string, Record<string, string>> = {
  'logs.explore': { source: 'postgres_logs', limit: '7' },
  'logs.histogram': { source: 'edge_logs', by: 'part' },
  'logs.measure': { source: 'function_edge_logs', field: 'execution_time_ms' },
  'logs.fields': { source: 'auth_logs' },
  'logs.all': { project_tier: 'PRO' },
  'messages.search': { text: 'a' },
  'usage.api-counts': { interval: 'daily' },
  'functions.slowest': { window: '7day' },
}

/** Resolves when no request of the view runs. */
const settled = (page: Page) =>
  page.waitForFunction(() => {
    const answer = document.querySelector<HTMLElement>('.answer')
    return !['none', 'first', 'loading'].includes(answer?.dataset.state ?? 'none')
  })

/** Chooses an endpoint in the list, and enters values in the form. */
async function choose(page: Page, name: string, values: Record<string, string> = {}): Promise<void> {
  await page.locator(`.api-list [data-name="${name}"]`).click()
  await page.locator('.api-request h2', { hasText: name }).waitFor()
  for (const [param, value] of Object.entries(values)) {
    const control = page.locator(`#param-${param}`)
    if (await control.evaluate((one) => one instanceof HTMLSelectElement)) await control.selectOption(value)
    else await control.fill(value)
  }
}

const lineOf = async (page: Page) => (await page.locator('.copy-line code').textContent())!
/** The request in the line for a shell, without the address of the service. */
const requestOf = async (page: Page) => /'http:\/\/[^/]+(\/.*)'$/.exec(await lineOf(page))![1]!

/** Returns the cells of the table, by column, with times in microseconds. */
async function tableOf(page: Page): Promise<Record<string, unknown>[]> {
  const button = page.locator('.answer .segments button', { hasText: 'Table' })
  if (await button.isVisible()) await button.click()
  await page.locator(`${ANSWER} .answer-table tbody tr`).first().waitFor()
  const heads = await page.locator('.answer-table th').allTextContents()
  const rows = await page
    .locator('.answer-table tbody tr')
    .evaluateAll((all) =>
      all.map((row) => [...row.children].map((cell) => (cell.querySelector('summary') ?? cell).textContent!)),
    )
  const timeOf = (text: string) => Date.parse(`${text.slice(0, 23).replace(' ', 'T')}Z`) * 1e3 + Number(text.slice(23))
  return rows.map((cells) =>
    Object.fromEntries(
      cells.map((cell, i) => {
        const name = heads[i]!.replace(' (UTC)', '')
        return [name, name === heads[i] || cell === 'null' ? cell : timeOf(cell)]
      }),
    ),
  )
}

/** Returns a row of an answer as the table shows the row. */
function shownOf(row: Record<string, unknown>): Record<string, unknown> {
  const cellOf = (name: string, value: unknown) => {
    if (/^(timestamp|latest)$/.test(name))
      return typeof value === 'string' ? Date.parse(`${value}Z`) * 1_000 : (value as number)
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    const first = text.slice(0, 100).replaceAll('\n', ' ')
    return text.length > 100 ? `${first}…` : first
  }
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, cellOf(name, value)]))
}

if (CHROMIUM === undefined) test('there is no browser', () => console.log(WITHOUT))
else describe('the view of the API', withBrowser)

function withBrowser(): void {
  let browser: Browser
  let service: Served
  let kill: () => Promise<void>
  beforeAll(async () => {
    browser = await launchBrowser()
    const args = ['--sql', '--endpoints', join(ROOT, 'examples/endpoints')]
    service = await serveGenerated({ rows: 4_000, seed: SEED, args }, (given) => {
      kill = given
    })
  })
  afterAll(async () => {
    await browser?.close()
    await kill?.()
  })

  async function open(more = '', options: BrowserContextOptions = {}) {
    const range = more.includes('&from=') ? '' : '&range=1day'
    const opened = await openSignedIn(browser, service, `${HASH}${range}${more}`, options)
    await opened.page.locator('.api-list button').first().waitFor({ state: 'attached' })
    return opened
  }

  /** The rows that the service answers to a request, with the token of the tests. */
  const rowsAt = async (path: string) =>
    ((await (await service.get(path)).json()) as { result: Record<string, unknown>[] }).result

  test('answers each endpoint through its form as the service does', async () => {
    const { page, faults, foreignRequests } = await open()
    const names = await page
      .locator('.api-list [data-name]')
      .evaluateAll((all) => all.map((one) => (one as HTMLElement).dataset.name!).filter((name) => name !== ''))
    const listed = (await rowsAt('/api/endpoints')).map(({ name }) => name)
    expect(names.toSorted()).toEqual(listed.toSorted())
    // The owner's own endpoints are first.
    expect(names.slice(0, 4).toSorted()).toEqual([
      'edge.error-rate-by-path',
      'functions.slowest',
      'messages.search',
      'postgres.errors',
    ])
    for (const name of names) {
      await choose(page, name, VALUES[name])
      await page.locator('#param-project').press('Enter')
      await settled(page)
      const rows = await rowsAt(await requestOf(page))
      expect([name, rows.length > 0]).toEqual([name, true])
      expect(await page.locator('.answer-size').textContent(), name).toContain(
        `${rows.length} ${rows.length === 1 ? 'row' : 'rows'}`,
      )
      expect(await tableOf(page), name).toEqual(rows.slice(0, 200).map(shownOf))
    }
    expect(faults).toEqual([])
    expect(foreignRequests).toEqual([])
  })

  test('shows numbers over time as charts, the maximum of rows, and what the answer cost', async () => {
    const { page } = await open('&endpoint=logs.histogram&p.source=edge_logs')
    await settled(page)
    const rows = await rowsAt(await requestOf(page))
    const [legend] = await legends(page, ANSWER)
    const sums = new Map<string, number>()
    for (const { class: name, count } of rows) sums.set(`${name}`, (sums.get(`${name}`) ?? 0) + (count as number))
    expect(
      Object.fromEntries(legend!.labels.map((label, i) => [label, Number(legend!.values[i]!.replace(',', ''))])),
    ).toEqual(Object.fromEntries(sums))
    expect(await page.locator('.answer-size').textContent()).toMatch(
      /^\d+ rows · only in the table: bucket_us · [\d,]+ rows read, [\d.]+ ms$/,
    )
    await choose(page, 'logs.explore', { source: 'edge_logs', limit: '5' })
    await page.keyboard.press('Enter')
    await page.locator('.answer-size', { hasText: 'The first 5 rows, the maximum: there may be more' }).waitFor()
    // A choice of the page's header is no part of a form.
    expect(await page.locator('#source-field').isVisible()).toBe(false)
  })

  test('unfolds JSON, and shows times in the zone of the page', async () => {
    const { page } = await open('&endpoint=logs.explore&p.source=edge_logs&p.limit=1')
    await settled(page)
    const [row] = await rowsAt(await requestOf(page))
    await page.locator('.answer-table td:nth-child(4) summary').click()
    expect(JSON.parse((await page.locator('.long-cell[open] pre').textContent())!)).toEqual(row!.metadata)
    expect(await page.locator('.answer-table th').nth(1).textContent()).toBe('timestamp (UTC)')
    const time = new Date((row!.timestamp as number) / 1_000).toISOString().slice(0, 23).replace('T', ' ')
    expect(await page.locator('.answer-table td').nth(1).textContent()).toContain(time)
  })

  test('copies a line that a shell runs, with any value, and without the token', async () => {
    const { page } = await open()
    const search = `it's "$HOME" \`id\` \\ %41 &a=b#c ü!`
    await choose(page, 'logs.explore', { source: 'edge_logs', search })
    await page.locator('#param-search').press('Enter')
    await settled(page)
    const line = await lineOf(page)
    expect(line).not.toContain(TOKEN)
    const run = promisify(execFile)
    const env = { ...process.env, LOGWEIR_TOKEN: TOKEN, HOME: '/nowhere' }
    expect((await run('sh', ['-c', `${line} -s`], { env })).stdout).toBe('{"result":[]}')
    await choose(page, 'postgres.errors')
    await settled(page)
    const { stdout } = await run('sh', ['-c', `${await lineOf(page)} -s`], { env })
    expect(JSON.parse(stdout)).toEqual({ result: await rowsAt(await requestOf(page)) })
    expect(await tableOf(page)).toEqual(
      (JSON.parse(stdout) as { result: Record<string, unknown>[] }).result.map(shownOf),
    )
  })

  test('shows what is wrong with a value at its field', async () => {
    const { page } = await open()
    await choose(page, 'logs.explore', { source: 'edge_logs', limit: '9999' })
    const wrongs: [string, string, RegExp][] = [
      ['limit', '9999', /^The parameter "limit" is no number of rows/],
      ['filter', '[{"field":1}]', /^The parameter "filter" is invalid at filter\[0\]/],
      ['end', 'soon', /^“soon” is no time/],
      ['source', '', /^Enter a value: it is required\.$/],
    ]
    const asked: string[] = []
    page.on('request', (request) => void asked.push(request.url()))
    for (const [name, value, message] of wrongs) {
      const control = page.locator(`#param-${name}`)
      const before = await control.inputValue()
      if (name === 'source') await control.selectOption('')
      else await control.fill(value)
      asked.length = 0
      await page.locator('.api-actions .first').click()
      const problem = page.locator(`#param-${name}-problem`, { hasText: /./ })
      await problem.waitFor()
      expect(await problem.textContent()).toMatch(message)
      // The page does not send a value that the page knows to be wrong.
      if (name === 'end' || name === 'source') expect(asked).toEqual([])
      expect(await page.locator('[aria-invalid=true]').evaluateAll((all) => all.map(({ id }) => id))).toEqual([
        `param-${name}`,
      ])
      expect(await page.evaluate(() => document.activeElement?.id)).toBe(`param-${name}`)
      if (name === 'source') await control.selectOption(before)
      else await control.fill(name === 'limit' ? '3' : '')
    }
    await page.locator('.api-actions .first').click()
    await page.locator(ANSWER).waitFor()
    expect(await page.locator('[aria-invalid=true]').count()).toBe(0)
    expect(await page.getByText('It does not use the time range of the page.').count()).toBe(0)
    await choose(page, 'usage.api-counts', {})
    expect(await page.getByText('It does not use the time range of the page.').count()).toBe(1)
  })

  test('works with the keyboard alone, and the back button undoes each step', async () => {
    const { page } = await open()
    await page.locator('.api-list [data-name="logs.measure"]').focus()
    await page.keyboard.press('Enter')
    await page.locator('.api-request').waitFor()
    await page.locator('#param-source').focus()
    await page.keyboard.type('function_edge')
    await page.locator('#param-field').focus()
    // Keys of the page, which are letters here.
    await page.keyboard.type('avert')
    await page.keyboard.press('Control+a')
    await page.keyboard.type('execution_time_ms')
    await page.keyboard.press('Enter')
    await page.locator(ANSWER).waitFor()
    const link = await fragmentOf(page)
    expect(link).toMatchObject({
      view: 'api',
      endpoint: 'logs.measure',
      'p.source': 'function_edge_logs',
      'p.field': 'execution_time_ms',
    })
    expect(page.url()).not.toContain(TOKEN)
    await page.goBack()
    await page.waitForFunction(() => !location.hash.includes('p.field'))
    expect(await page.locator('#param-field').inputValue()).toBe('')
    await page.goForward()
    await page.locator(ANSWER).waitFor()
    expect(await page.locator('#param-field').inputValue()).toBe('execution_time_ms')
    await page.goBack()
    await page.goBack()
    await page.locator('.api-reference').waitFor()
    await page.keyboard.press('v')
    await page.locator('#explore').waitFor()
    await page.keyboard.press('a')
    await page.locator('.api-reference').waitFor()
  })

  test('shows the same from a link, but runs no SQL of it', async () => {
    const bounds = '&from=2026-01-01T00:00:00Z&to=2099-01-01T00:00:00Z'
    const first = await open(`${bounds}&endpoint=logs.explore&p.source=auth_logs&p.limit=3`)
    await settled(first.page)
    expect(await requestOf(first.page)).toContain(
      'start=2026-01-01T00%3A00%3A00.000000Z&end=2099-01-01T00%3A00%3A00.000000Z',
    )
    const table = await tableOf(first.page)
    expect(table.length).toBe(3)
    await first.page.keyboard.press('r')
    await settled(first.page)
    expect(await tableOf(first.page)).toEqual(table)

    const sql = encodeURIComponent('select nope() from edge_logs')
    const second = await open(`&endpoint=logs.all&p.sql=${sql}`)
    await second.page.getByText('Press Run.').waitFor()
    await second.page.locator('#param-sql').press('Control+Enter')
    await second.page.locator('#param-sql-problem', { hasText: 'line 1' }).waitFor()
    await second.page.locator('#param-sql').fill('select count(*) as n from edge_logs')
    await second.page.locator('.api-actions .first').click()
    await second.page.locator(ANSWER).waitFor()
    expect(await tableOf(second.page)).toEqual((await rowsAt(await requestOf(second.page))).map(shownOf))

    const third = await open('&endpoint=none')
    await third.page.getByText('The service has no endpoint none').waitFor()
  })

  test('follows the range of the page, and keeps what was entered', async () => {
    const { page } = await open('&endpoint=logs.explore&p.source=edge_logs')
    await settled(page)
    await page.locator('#param-search').fill('xyz')
    expect(await page.locator('#param-start').inputValue()).toBe('1 day ago')
    await page.locator('#param-start').evaluate((one) => one.blur())
    await page.locator('#param-search').evaluate((one) => one.blur())
    await page.keyboard.press('7')
    await page.waitForFunction(() => location.hash.includes('range=7day') && location.hash.includes('p.search=xyz'))
    expect(await page.locator('#param-start').inputValue()).toBe('7 days ago')
    expect(await page.locator('#param-search').inputValue()).toBe('xyz')
  })

  test('can be cancelled, tries again after 503, and signs out after 401', async () => {
    const { page } = await open('&endpoint=logs.explore&p.source=edge_logs&p.limit=2')
    await settled(page)
    await page.route('**/query/logs.explore?*', () => {}, { times: 1 })
    await page.locator('.api-actions .first').click()
    await page.locator('.api-actions button', { hasText: 'Cancel' }).click()
    await page.getByText('Cancelled.').waitFor()
    const busy = { error: 'Full.', code: 'overloaded' }
    await page.route(
      '**/query/logs.explore?*',
      (route) => route.fulfill({ status: 503, headers: { 'Retry-After': '1' }, json: busy }),
      { times: 1 },
    )
    await page.locator('.api-actions .first').click()
    await page.getByText('Full.').waitFor()
    await page.locator(ANSWER).waitFor()
    await page.route(
      '**/query/logs.explore?*',
      (route) => route.fulfill({ status: 401, json: { error: 'No.', code: 'unauthorized' } }),
      { times: 1 },
    )
    await page.locator('.api-actions .first').click()
    await page.locator('#token').waitFor()
    await signIn(page, TOKEN)
    await page.locator(ANSWER).waitFor()
  })

  test('explains each error once, and has the other paths', async () => {
    const { page } = await open()
    const codes = await page.locator('.api-reference tbody tr td:nth-child(2)').allTextContents()
    expect(codes.length).toBeGreaterThan(20)
    expect(new Set(codes).size).toBe(codes.length)
    const paths = await page.locator('.api-path summary code').allTextContents()
    expect(paths).toEqual(expect.arrayContaining(['POST /api/logs', 'POST /v1/logs', 'GET /api/tail', 'GET /metrics']))
    await page.locator('.api-path summary', { hasText: '/api/projects' }).click()
    const line = (await page.locator('.api-path[open] .copy-line code').textContent())!
    const env = { ...process.env, LOGWEIR_TOKEN: TOKEN }
    const { stdout } = await promisify(execFile)('sh', ['-c', `${line} -s`], { env })
    expect(JSON.parse(stdout)).toEqual({ result: await rowsAt('/api/projects') })
  })

  test('saves the rows that are shown', async () => {
    const { page } = await open('&endpoint=logs.explore&p.source=edge_logs&p.limit=3')
    await settled(page)
    await page.locator('.answer-tools button', { hasText: 'Export' }).click()
    await page.getByText('These 3 rows').waitFor()
  })

  test.each([390, 1_280])('has no serious finding of accessibility, and fits a window of %i px', async (width) => {
    const { page } = await open('', { viewport: { width, height: 800 } })
    const check = async () => {
      expect(await seriousFindings(page)).toEqual([])
      const sizes = await page.evaluate(() => {
        const { scrollWidth, scrollHeight } = document.documentElement
        return [Math.max(scrollWidth, document.querySelector('main')!.scrollWidth), scrollHeight]
      })
      // Only the content scrolls, below the header, and only downwards.
      expect(sizes).toEqual([width, 800])
    }
    await page.locator('.api-path summary', { hasText: '/api/logs' }).click()
    await check()
    await choose(page, 'logs.explore', { source: 'edge_logs', limit: '0' })
    await page.keyboard.press('Enter')
    await page.locator('[aria-invalid=true]').waitFor()
    await page.locator('#param-limit').fill('20')
    await page.keyboard.press('Enter')
    await page.locator(ANSWER).waitFor()
    await check()
  })
}
