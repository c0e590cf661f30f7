import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MIB } from '../../src/base/units.js'
import { type Served, serve } from '../program/support/program.js'
import { CHROMIUM, launchBrowser, WITHOUT } from './browser.js'
import { loaded, openSignedIn, rowsOf } from './explore/page.js'

if (CHROMIUM === undefined) test('there is no browser', () => console.log(WITHOUT))
else describe('hostile texts in the field source', withBrowser)

const PROJECT = '<img src=p onerror=hacked()>'
/** Part of each text that would be markup. */
const MARKUP = '<img src=x onerror=hacked()>'
/** Texts of records, and the names of the sources that they make. Undefined: the record is refused. */
const SOURCES: readonly (readonly [text: string, name: string | undefined])[] = [
  [`shop${MARKUP}`, 'shop_img_src_x_onerror_hacked_'],
  [`"></option></select><script>hacked()</script>${MARKUP}`, undefined],
  ['mail\u202egpj.exe', 'mail_gpj_exe'],
  [`long${'<i>'.repeat(0.3 * MIB)}`, undefined],
  [`wide${'<>"\u202e&'.repeat(0.1 * MIB)}end`, 'wide_end'],
  ['__proto__', undefined],
  ['constructor', 'constructor'],
]
const TAKEN = SOURCES.flatMap(([text, name]) => (name === undefined ? [] : [[name, text] as const]))
/** A browser opens no longer URLs than 2 MiB. */
const LINKED_CHARACTERS = 50_000
const messageOf = (text: string) => `of ${text.slice(0, 50)}`

/** Sends a record of each text. Expects the texts that are no names to be refused. */
async function sendAll(service: Served): Promise<void> {
  const records = SOURCES.map(([source]) => ({
    source,
    project: PROJECT,
    timestamp: new Date().toISOString(),
    event_message: messageOf(source),
    level: 'error',
  }))
  const headers = { 'Content-Type': 'application/x-ndjson' }
  const body = records.map((record) => JSON.stringify(record)).join('\n')
  const answer = await (await service.get('/api/logs', { method: 'POST', headers, body })).json()
  const rejected = Array(SOURCES.length - TAKEN.length).fill({ reason: 'unknown_source' })
  expect(answer).toMatchObject({ taken: TAKEN.length, rejected })
}

/** Elements that only a text could have made, and whether a script of a text has run. */
const made = (page: Page) =>
  page.evaluate(() => [
    document.querySelectorAll('img[src=x], img[src=p], [onerror], i > i, script:not([src]), option script').length,
    'wasHacked' in window,
  ])

function withBrowser(): void {
  let browser: Browser
  let service: Served
  let kill: () => Promise<void>
  beforeAll(async () => {
    browser = await launchBrowser()
    service = await serve(['--sources', '*', '--sql'], {
      atEnd: (given) => {
        kill = given
      },
    })
    await sendAll(service)
  })
  afterAll(async () => {
    await browser?.close()
    await kill?.()
  })

  async function open(fragment: string) {
    const opened = await openSignedIn(browser, service, fragment)
    await opened.page.evaluate(() => Object.assign(window, { hacked: () => Object.assign(window, { wasHacked: 1 }) }))
    return opened
  }
  const expectTextOnly = async ({ page, errors, faults }: Awaited<ReturnType<typeof open>>) => {
    expect([await made(page), errors, faults]).toEqual([[0, false], [], []])
  }

  test.each(TAKEN)('are text in the rows of %s, in its record, its fields and the rows around', async (name, text) => {
    const opened = await open(`#project=${encodeURIComponent(PROJECT)}&source=${name}`)
    const { page } = opened
    await loaded(page)
    await page.locator(`#source option[value=${name}]`).getByText(`${name} · 1`).waitFor({ state: 'attached' })
    const [cells] = await rowsOf(page)
    expect(cells!.at(-1)).toBe(messageOf(text))
    await page.locator('#list .rows > *').first().click()
    await page.getByRole('button', { name: 'Rows around' }).click()
    await page.getByText(`${TAKEN.length} rows of ${TAKEN.length} sources`).waitFor()
    await expectTextOnly(opened)
  })

  test('are text in the views of SQL, of charts and of endpoints', async () => {
    for (const view of ['sql', 'charts', 'endpoints']) {
      const opened = await open(`#view=${view}&project=${encodeURIComponent(PROJECT)}`)
      await opened.page.waitForLoadState('networkidle')
      await expectTextOnly(opened)
    }
  })

  test('are text in a link', async () => {
    const { page, faults } = await open('')
    for (const [text] of SOURCES) {
      const [project, source] = [text.slice(0, 300), text.slice(0, LINKED_CHARACTERS)].map(encodeURIComponent)
      await page.goto(`${service.url}/#project=${project}&source=${source}`)
      await page.locator('#list[data-state=failed], #list[data-state=empty]').waitFor()
      await loaded(page)
      expect([await made(page), faults], text.slice(0, 50)).toEqual([[0, false], []])
    }
  })
}
