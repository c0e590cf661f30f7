import { readFileSync } from 'node:fs'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Served, serve } from '../program/support/program.js'
import { seriousFindings } from './axe.js'
import { CHROMIUM, launchBrowser, WITHOUT } from './browser.js'
import { loaded, openSignedIn, rowsOf, send, valuesOf } from './explore/page.js'

const [PROJECT, OTHER] = ['abcdefghijklmnopqrst', 'zyxwvutsrqponmlkjihg']
const MAX_ACTIONS = 6
const USER = 'yara@example.com'

/** The actions of a user, counted: a click, a drag, or entering a text in a field, with Enter. */
function createUser(page: Page) {
  let actions = 0
  return {
    actions: () => actions,
    async click(target: Locator) {
      actions++
      await target.click()
    },
    async enter(field: string, text: string) {
      actions++
      await page.fill(field, text)
      await page.press(field, 'Enter')
      await loaded(page)
    },
    /** Opens the SQL view, and runs a query that was entered. */
    async runSql(sql: string) {
      actions += 2
      await page.click('#view-sql')
      await page.locator('.cm-content').focus()
      await page.keyboard.press('Control+A')
      await page.keyboard.insertText(sql)
      await page.keyboard.press('Control+Enter')
      await page.locator('#sql .answer[data-state=shown]').waitFor()
    },
    /** Opens the export menu of a part of the page, and saves a file. Returns the text of the file. */
    async save(place: string) {
      actions += 2
      await page.locator(place).getByRole('button', { name: 'Export' }).click()
      const download = page.waitForEvent('download')
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      return readFileSync(await (await download).path(), 'utf8')
    },
    /** Opens a list of choices, and clicks on a choice. */
    async choose(list: string, value: string) {
      actions += 2
      await page.selectOption(list, value)
      await loaded(page)
    },
  }
}

const edge = (at: number, path: string, status: number) => ({
  timestamp: at,
  event_message: `GET | ${status} | ${path}`,
  metadata: { request: { method: 'GET', path }, response: { status_code: status, origin_time: 5 } },
})

const auth = (at: number, message: string, status: number) => ({
  timestamp: at,
  event_message: message,
  metadata: { level: status >= 400 ? 'error' : 'info', status, path: '/token' },
})

const postgres = (at: number, severity: string, message: string) => ({
  timestamp: at,
  event_message: message,
  metadata: { parsed: { error_severity: severity, user_name: 'postgres' } },
})

if (CHROMIUM === undefined) test('there is no browser', () => console.log(WITHOUT))
else describe('a user of the page', withBrowser)

function withBrowser(): void {
  let browser: Browser
  let service: Served
  let kill: () => Promise<void>
  const now = Date.now()
  const ago = (minutes: number) => now - minutes * 60_000
  beforeAll(async () => {
    browser = await launchBrowser()
    service = await serve(['--sql'], {
      atEnd(given) {
        kill = given
      },
    })
    await fill()
  })
  afterAll(async () => {
    await browser?.close()
    await kill?.()
  })

  /** Sends the records of two projects. Times are in milliseconds. */
  async function fill() {
    const edges = [
      ...Array.from({ length: 3 }, (_, i) => edge(ago(50 - i), '/rest/v1/orders', 500)),
      ...Array.from({ length: 5 }, (_, i) => edge(ago(40 - i), '/auth/v1/token', 400)),
      ...Array.from({ length: 40 }, (_, i) => edge(ago(30 - i / 2), '/rest/v1/items', 200)),
      ...Array.from({ length: 9 }, (_, i) => edge(ago(90 + i), '/rest/v1/old', 500)),
      edge(ago(20), '/storage/v1/object', 404),
    ]
    await send(service, 'edge_logs', PROJECT, edges)
    await send(
      service,
      'edge_logs',
      OTHER,
      Array.from({ length: 20 }, (_, i) => edge(ago(i), '/other', 500)),
    )
    await send(service, 'auth_logs', PROJECT, [
      auth(ago(30), 'token refreshed: zoe@example.com', 200),
      auth(ago(25) - 2_000, `login requested: ${USER}`, 200),
      auth(ago(25), `Invalid login credentials: ${USER}`, 400),
      auth(ago(25) + 1_500, 'rate limit for 203.0.113.7 reached', 429),
      auth(ago(10), 'login: zoe@example.com', 200),
    ])
    await send(service, 'postgres_logs', PROJECT, [
      postgres(ago(26), 'ERROR', 'too early'),
      postgres(ago(25) + 500, 'LOG', 'connection authorized'),
      postgres(ago(12), 'ERROR', 'relation "orders" does not exist'),
      postgres(ago(11), 'WARNING', 'there is no transaction in progress'),
      postgres(ago(10), 'FATAL', 'too many connections'),
    ])
  }

  /** Opens the page signed in, without a project. */
  async function start() {
    const { page, errors, faults } = await openSignedIn(browser, service, '')
    await page.locator('#project').waitFor()
    return { page, user: createUser(page), hold: () => expect([errors, faults]).toEqual([[], []]) }
  }

  const messages = async (page: Page) => (await rowsOf(page)).map((cells) => cells.at(-1))

  test('finds the paths that failed most in the last hour', async () => {
    const { page, user, hold } = await start()
    await user.enter('#project', PROJECT)
    await user.click(page.locator('#errors'))
    await loaded(page)
    const more = page.locator('[data-field="request.path"]').getByText('Count over the whole range')
    if ((await more.count()) > 0) await user.click(more)
    const shown = await valuesOf(page, 'request.path')
    expect(shown).toEqual([
      ['/auth/v1/token', '5'],
      ['/rest/v1/orders', '3'],
      ['/storage/v1/object', '1'],
    ])
    const filter = encodeURIComponent('[{"field":"response.status_code","op":">=","value":400}]')
    const query = `project=${PROJECT}&source=edge_logs&filter=${filter}&start=${new Date(ago(60)).toISOString()}`
    const [answer] = await service.rows(`logs.fields?${query}&field=request.path`)
    const values = typeof answer.values === 'string' ? JSON.parse(answer.values) : answer.values
    expect(shown).toEqual(values.map(({ value, count }: { value: string; count: number }) => [value, String(count)]))
    expect(user.actions()).toBeLessThanOrEqual(3)
    hold()
  })

  test('finds what auth logged around the failed login of a user', async () => {
    const { page, user, hold } = await start()
    await user.enter('#project', PROJECT)
    await user.choose('#source', 'auth_logs')
    await user.enter('#search', USER)
    expect(await page.locator('#list .rows > *').count()).toBe(2)
    await user.click(page.locator('#list .rows > *', { hasText: 'Invalid login credentials' }))
    await user.click(page.getByRole('button', { name: 'Rows around' }))
    await page.getByText('rows of 3 sources').waitFor()
    const around = await page
      .locator('.around-row')
      .evaluateAll((all) => all.map((row) => [...row.children].slice(1).map((cell) => cell.textContent)))
    expect(around.filter(([, source]) => source === 'auth_logs')).toEqual([
      ['−2.000 s', 'auth_logs', '200', `login requested: ${USER}`],
      ['this row', 'auth_logs', '400', `Invalid login credentials: ${USER}`],
      ['+1.500 s', 'auth_logs', '429', 'rate limit for 203.0.113.7 reached'],
    ])
    expect(around).toContainEqual(['+0.500 s', 'postgres_logs', 'LOG', 'connection authorized'])
    expect(user.actions()).toBeLessThanOrEqual(MAX_ACTIONS)
    expect(await seriousFindings(page)).toEqual([])
    hold()
  })

  test('finds all errors of Postgres since a time of day', async () => {
    const { page, user, hold } = await start()
    await user.enter('#project', PROJECT)
    await user.choose('#source', 'postgres_logs')
    await user.click(page.locator('#errors'))
    await loaded(page)
    expect(await messages(page)).toContain('too early')
    await user.click(page.locator('#range'))
    // With seconds, since minutes may begin anywhere in the test.
    await user.enter('#from', new Date(ago(25)).toISOString().slice(11, 19))
    expect(await messages(page)).toEqual(['too many connections', 'relation "orders" does not exist'])
    expect(user.actions()).toBeLessThanOrEqual(MAX_ACTIONS)
    hold()
  })

  // The last test, since the test sends records.
  test('finds the same with SQL, in fewer actions, and saves it', async () => {
    const rows = async (sql: string) => {
      const { user, hold } = await start()
      await user.enter('#project', PROJECT)
      await user.runSql(sql)
      expect(user.actions()).toBe(3)
      const saved = await user.save('#sql')
      expect(user.actions()).toBeLessThanOrEqual(MAX_ACTIONS)
      hold()
      return saved.trimEnd().split('\r\n').slice(1)
    }
    const failed = 'from edge_logs where response.status_code >= 400'
    expect(await rows(`select request.path, count(*) as n ${failed} group by path order by n desc`)).toEqual([
      '/auth/v1/token,5',
      '/rest/v1/orders,3',
      '/storage/v1/object,1',
    ])
    const hour = 'timestamp_trunc(timestamp, hour)'
    const logins = `from auth_logs where status = 400 and contains_substr(event_message, '${USER}')`
    const around = await rows(`select event_message from auth_logs where ${hour} in (select ${hour} ${logins})`)
    expect(around).toContain(`Invalid login credentials: ${USER}`)
    const since = new Date(ago(25)).toISOString()
    const errors = `from postgres_logs where parsed.error_severity in ('ERROR', 'FATAL') and timestamp >= '${since}'`
    expect(await rows(`select event_message ${errors} order by timestamp desc`)).toEqual([
      'too many connections',
      '"relation ""orders"" does not exist"',
    ])
  })

  test('saves the rows of a task as a file', async () => {
    const { page, user, hold } = await start()
    await user.enter('#project', PROJECT)
    await user.click(page.locator('#errors'))
    await loaded(page)
    const lines = (await user.save('#explore')).trimEnd().split('\r\n')
    expect(lines[0]).toBe('id,timestamp,event_message,metadata,rank')
    expect(lines.length).toBe(1 + 9)
    expect(user.actions()).toBeLessThanOrEqual(MAX_ACTIONS)
    hold()
  })

  test('watches errors as they occur', async () => {
    const { page, user, hold } = await start()
    await user.enter('#project', PROJECT)
    await user.click(page.locator('#errors'))
    await loaded(page)
    await user.click(page.locator('#live'))
    await page.locator('#live[aria-pressed=true]').waitFor()
    const sentAt = Date.now()
    await send(service, 'edge_logs', PROJECT, [
      edge(sentAt, '/rest/v1/fine', 200),
      edge(sentAt + 1, '/rest/v1/broken', 503),
      edge(sentAt + 2, '/rest/v1/fine', 201),
    ])
    await page.locator('#list .rows > *', { hasText: '/rest/v1/broken' }).waitFor()
    const paths = (await rowsOf(page)).map(([, status, , path]) => `${status} ${path}`)
    expect(paths[0]).toBe('503 /rest/v1/broken')
    expect(paths).not.toContain('200 /rest/v1/fine')
    expect(user.actions()).toBeLessThanOrEqual(3)
    hold()
  })
}
