import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Served, serve, TOKEN } from '../program/support/program.js'
import { createGate } from '../support/gate.js'
import { type AlertStub, agoIso, answerAlerts, emptyStub } from './alert-stub.js'
import { seriousFindings } from './axe.js'
import { CHROMIUM, launchBrowser, openPage, signIn, WITHOUT } from './browser.js'
import { send } from './explore/page.js'

const QUERY = 'select project, count(*) as n\nfrom edge_logs\ngroup by project'
const HOSTILE = '<img src=x onerror="window.hurt = 1">\u202e'

if (CHROMIUM === undefined) test('there is no browser', () => console.log(WITHOUT))
else describe('Save as alert', withBrowser)

/** A backtest of the last week, in which an alert of project a fired for two hours, and one with hostile labels. */
const fired = () => ({
  status: 200,
  body: {
    result: [
      { instant: agoIso(86_400), state: 'pending', labels: { project: 'a' }, values: { n: 2 }, text: '' },
      { instant: agoIso(86_280), state: 'firing', labels: { project: 'a' }, values: { n: 3 }, text: '' },
      { instant: agoIso(79_080), state: 'resolved', labels: { project: 'a' }, values: { n: 3 }, text: '' },
      { instant: agoIso(7_200), state: 'firing', labels: { project: HOSTILE }, values: { n: 3 }, text: '' },
      { instant: agoIso(3_600), state: 'resolved', labels: { project: HOSTILE }, values: { n: 3 }, text: '' },
    ],
    ...{ steps: 10_080, method: 'buckets', from: agoIso(7 * 86_400), to: agoIso(0) },
    note: 'by timestamps of the rows that are there now',
  },
})

const refused = (status: number, message: string, code = 'invalid_sql') => ({
  ...{ status, body: { error: { code, message } } },
})

function withBrowser(): void {
  let browser: Browser
  let service: Served
  let kill: () => Promise<void>
  beforeAll(async () => {
    browser = await launchBrowser()
    service = await serve(['--sql'], {
      atEnd: (given) => {
        kill = given
      },
    })
    await send(service, 'edge_logs', 'a', [{ timestamp: new Date().toISOString(), message: 'a row' }])
  })
  afterAll(async () => {
    await browser?.close()
    await kill?.()
  })

  /** Opens the dialog with a query, under a clock of the test. `settle` lets the pause after the last key pass. */
  async function open(stub: AlertStub, sql = QUERY, options: BrowserContextOptions = {}) {
    const fragment = `#view=sql&project=a&sql=${encodeURIComponent(sql)}`
    const { page, faults } = await openPage(browser, `${service.url}/${fragment}`, options, async (blank) => {
      await blank.clock.install()
      await answerAlerts(blank, stub)
    })
    await signIn(page, TOKEN)
    await page.locator('.cm-content').waitFor()
    // From here on time passes only by `settle`, however slow the machine is.
    await page.clock.pauseAt(Date.now() + 1_000)
    await page.getByRole('button', { name: 'Save as alert' }).click()
    const dialog = page.getByRole('dialog', { name: 'Save as alert' })
    await dialog.waitFor()
    const settle = () => page.clock.runFor(500)
    const fileText = async () => (await dialog.locator('pre').textContent())!
    return { page, faults, dialog, settle, fileText, backtest: dialog.locator('.backtest') }
  }

  const editorText = (page: Page) =>
    page.locator('.cm-line').evaluateAll((lines) => lines.map((line) => line.textContent).join('\n'))

  test('shows the file of the fields, where to put it, and when it would have fired', async () => {
    const stub: AlertStub = { ...emptyStub(), test: fired }
    const { page, dialog, settle, fileText, backtest, faults } = await open(stub, QUERY, {
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    for (const [label, text] of [
      ...([
        ['Name', 'many-rows'],
        ['Every', '30s'],
        ['For', '2m'],
      ] as const),
      ...([
        ['Severity', 'critical'],
        ['Notify', 'ops'],
        ['Labels', 'project'],
      ] as const),
    ])
      await dialog.getByLabel(label, { exact: true }).fill(text)
    const file = `-- alert: every 30s, for 2m, notify ops\n-- severity: critical\n-- labels: project\n${QUERY}\n`
    expect(await fileText()).toBe(file)
    expect(await dialog.textContent()).toContain(
      'Put it as many-rows.sql into the directory of logweir serve --alerts DIR',
    )
    // No request before the pause, and a single one for all keys.
    expect(stub.tests).toEqual([])
    await settle()
    await backtest.getByText('it would have fired 2 times, for 2 alerts, 3 h in all.').waitFor()
    expect(stub.tests).toEqual([{ rule: file, last: '7d' }])
    await backtest.getByText('10,080 evaluations (buckets), by timestamps of the rows that are there now.').waitFor()
    const lanes = backtest.locator('.lane svg[role=img]')
    expect(await lanes.evaluateAll((all) => all.map((svg) => svg.getAttribute('aria-label')))).toEqual([
      `project=${JSON.stringify(HOSTILE)}: fired once, 1 h in all`,
      'project=a: fired once, 2 h in all',
    ])
    expect(
      await lanes
        .last()
        .locator('rect')
        .evaluateAll((all) => all.map((rect) => rect.classList[0])),
    ).toEqual([...['pending', 'firing']])
    await dialog.getByRole('button', { name: 'Copy' }).click()
    await dialog.getByText('Copied').waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(file)
    expect(await dialog.locator('img').count()).toBe(0)
    expect(faults).toEqual([])
  })

  test('marks the place of an error in the file, and runs what is written next', async () => {
    const stub = emptyStub()
    stub.test = (rule) => (rule.includes('nope') ? refused(400, 'There is no nope. (line 4, column 8)') : fired())
    const { page, dialog, settle, backtest } = await open(stub)
    await settle()
    await backtest.locator('.timeline').waitFor()
    await dialog.getByLabel('Query').fill('select project,\n nope from edge_logs group by project')
    await settle()
    await backtest.getByText('There is no nope. (line 4, column 8)').waitFor()
    expect(await dialog.locator('pre .wrong').allTextContents()).toEqual([' nope from edge_logs group by project\n'])
    expect(await backtest.locator('.timeline').count()).toBe(0)
    stub.test = (rule) => (rule.includes('labels') ? fired() : refused(400, 'There is no GROUP BY. (line 3)'))
    await dialog.getByLabel('Query').fill('select 1')
    expect(await dialog.locator('pre .wrong').count()).toBe(0)
    await settle()
    await backtest.getByText('There is no GROUP BY. (line 3)').waitFor()
    expect(await dialog.locator('pre .wrong').allTextContents()).toEqual(['select 1\n'])
    await dialog.getByLabel('Labels').fill('-')
    await settle()
    await backtest.locator('.timeline').waitFor()
    await dialog.getByLabel('For').fill('soon')
    await dialog.getByText('“For” is a length of time such as 2m, or empty.').waitFor()
    expect(await backtest.textContent()).toBe('')
    await settle()
    expect(stub.tests).toHaveLength(4)
    await dialog.getByRole('button', { name: 'Close' }).click()
    await expect.poll(() => editorText(page)).toBe('select 1')
  })

  test('shows the answer to the newest text, whatever comes later', async () => {
    const stub: AlertStub = { ...emptyStub(), test: fired }
    const gate = createGate()
    const { page, dialog, settle, backtest } = await open(stub)
    const aborted: string[] = []
    page.on('requestfailed', (request) => aborted.push(request.postDataJSON().rule))
    await page.route(
      '**/api/alerting/test',
      async (route) => {
        await gate.opened
        await route.fulfill({ status: 400, body: JSON.stringify(refused(400, 'of the old text').body) }).catch(() => {})
      },
      { times: 1 },
    )
    const [first] = await Promise.all([page.waitForRequest('**/api/alerting/test'), settle()])
    await dialog.getByLabel('Every').fill('2m')
    await expect.poll(() => aborted).toEqual([first.postDataJSON().rule])
    await settle()
    await backtest.locator('.timeline').waitFor()
    gate.open()
    await page.evaluate(() => new Promise((resolve) => resolve(undefined)))
    expect(await backtest.textContent()).not.toContain('of the old text')
  })

  test.each([
    [403, 'This token is bound to projects.', 'forbidden'],
    [404, 'The service runs without --sql.', 'not_found'],
    [501, 'The engine has no backtest.', 'unsupported_by_engine'],
  ])('shows the file without a backtest too: %s', async (status, message, code) => {
    const stub = { ...emptyStub(), test: () => refused(status, message, code) }
    const { settle, fileText, backtest, faults } = await open(stub)
    await settle()
    await backtest.getByText(`This rule cannot be tried here: ${message}`).waitFor()
    expect(await fileText()).toBe(`-- alert: every 1m\n-- severity: warning\n${QUERY}\n`)
    expect(faults).toEqual([])
  })

  test('says over which part of the time the rule was tried, and what failed', async () => {
    const stub: AlertStub = { ...emptyStub(), test: fired }
    const { dialog, settle, backtest } = await open(stub)
    const answerWith = async (every: string, more: object) => {
      stub.test = () => ({ status: 200, body: { ...fired().body, ...more } })
      await dialog.getByLabel('Every').fill(every)
      await settle()
    }
    await answerWith('2m', { result: [], from: agoIso(60_000), steps: 1_000, method: 'steps', failed: 2 })
    await backtest.getByText(/^Since \d{4}-\d\d-\d\d [\d:]{8} it would not have fired\.$/).waitFor()
    await backtest.getByText('1,000 evaluations (steps), 2 of which failed, by timestamps').waitFor()
    // What was left out ended before the first change that is there: it is not drawn as a time without alerts.
    await answerWith('3m', { omitted: 1_234 })
    await backtest.getByText(/^Since .* it would have fired 2 times, for 2 alerts, 3 h in all\.$/).waitFor()
    await backtest.getByText('1,234 earlier changes are left out.').waitFor()
  })

  test('waits while the service is busy', async () => {
    const stub: AlertStub = { ...emptyStub(), test: fired }
    const { page, settle, backtest } = await open(stub)
    await page.route(
      '**/api/alerting/test',
      (route) =>
        route.fulfill({
          status: 503,
          headers: { 'Retry-After': '2' },
          body: JSON.stringify({ error: { code: 'overloaded', message: 'Too many backtests.' } }),
        }),
      { times: 1 },
    )
    await settle()
    await backtest.getByText('Too many backtests. Retrying …').waitFor()
    await page.clock.runFor(2_000)
    await backtest.locator('.timeline').waitFor()
  })

  test('is of the rule if the query is one, and gives it back with its fields', async () => {
    const rule = `-- Too many rows.\n-- alert: every 5m, keep firing 10m\n-- text: {n} rows\n${QUERY}`
    const stub: AlertStub = { ...emptyStub(), test: fired }
    const { page, dialog, fileText } = await open(stub, rule)
    expect(await fileText()).toBe(`${rule}\n`)
    expect(await dialog.getByLabel('Query').inputValue()).toBe(QUERY)
    await dialog.getByLabel('Severity').fill('critical')
    await dialog.getByLabel('Query').fill('select 1 as n')
    await page.keyboard.press('Escape')
    await expect
      .poll(() => editorText(page))
      .toBe(
        '-- Too many rows.\n-- alert: every 5m, keep firing 10m\n-- severity: critical\n' +
          '-- text: {n} rows\nselect 1 as n\n',
      )
  })

  test('closes when the token expires', async () => {
    const { page, settle } = await open({ ...emptyStub(), test: () => refused(401, 'Unknown token.', 'unauthorized') })
    await settle()
    await page.getByText('The token is no longer valid').waitFor()
    await signIn(page, TOKEN)
    await page.locator('.cm-content').waitFor()
    expect(await page.locator('dialog[open]').count()).toBe(0)
  })

  test.each([1_280, 390])('has no serious finding of axe at %s px', async (width) => {
    const stub: AlertStub = { ...emptyStub(), test: fired }
    const { page, dialog, settle, backtest, faults } = await open(stub, QUERY, { viewport: { width, height: 844 } })
    // The checks of axe wait for timers.
    await page.clock.resume()
    await settle()
    await backtest.locator('.timeline').waitFor()
    expect(await seriousFindings(page)).toEqual([])
    expect(await dialog.evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0)
    stub.test = () => refused(400, 'No. (line 1, column 1)')
    await dialog.getByLabel('Every').fill('3m')
    await settle()
    await dialog.locator('pre .wrong').waitFor()
    await dialog.getByLabel('Name').fill('no name')
    expect(await seriousFindings(page)).toEqual([])
    expect(faults).toEqual([])
  })
}
