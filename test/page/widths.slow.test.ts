import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { projectRef, TOP_RANK } from '../../src/generate/values/projects.js'
import type { Served } from '../program/support/program.js'
import { seriousFindings } from './axe.js'
import { CHROMIUM, launchBrowser, settled, WITHOUT } from './browser.js'
import { openSignedIn, serveGenerated } from './explore/page.js'
import { showAllAt, WIDTHS } from './explore/show-all.js'

const [SEED, ROWS] = [7, 6_000]
const SHOWN = `project=${projectRef(SEED, TOP_RANK)}&range=7day`
const QUERY =
  'select timestamp_trunc(timestamp, hour) as hour, count(*) as n from edge_logs group by hour order by hour'

if (CHROMIUM === undefined) test('there is no browser', () => console.log(WITHOUT))
else describe('the page at all widths', withBrowser)

function withBrowser(): void {
  let browser: Browser
  let service: Served
  let kill: () => Promise<void>
  beforeAll(async () => {
    browser = await launchBrowser()
    service = await serveGenerated({ rows: ROWS, seed: SEED, args: ['--sql'] }, (given) => {
      kill = given
    })
  })
  afterAll(async () => {
    await browser?.close()
    await kill?.()
  })

  const looks = WIDTHS.flatMap((width) => (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme })))
  test.each(looks)('the explorer has no serious finding of accessibility: $width pixels, $colorScheme', async ({
    width,
    colorScheme,
  }) => {
    const { page, findings } = await showAllAt(width, (options) =>
      openSignedIn(browser, service, `#${SHOWN}&errors=1`, { colorScheme, ...options }),
    )
    expect(findings).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
  })

  test.each(looks)('the other views have no serious finding of accessibility: $width pixels, $colorScheme', async ({
    width,
    colorScheme,
  }) => {
    const open = async (fragment: string) => {
      const options = { colorScheme, viewport: { width, height: 900 } }
      return (await openSignedIn(browser, service, `#${SHOWN}&${fragment}`, options)).page
    }
    const check = async (page: Page) => {
      expect(await seriousFindings(page)).toEqual([])
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
    }
    const charts = await open('view=charts')
    await settled(charts)
    await check(charts)
    const sql = await open(`view=sql&sql=${encodeURIComponent(QUERY)}`)
    await sql.getByRole('button', { name: 'Run', exact: true }).click()
    for (const look of ['Chart', 'Table']) {
      await sql.locator('#sql .answer').getByRole('button', { name: look }).click()
      await check(sql)
    }
    for (const endpoint of ['logs.explore&p.source=auth_logs', 'usage.api-counts&p.interval=daily', '']) {
      const api = await open(`view=api&endpoint=${endpoint}`)
      await api
        .locator(endpoint === '' ? '.api-place details' : '#api .answer[data-state=shown]')
        .first()
        .waitFor()
      await check(api)
    }
  })
}
