import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { projectRef, TOP_RANK } from '../../../src/generate/values/projects.js'
import type { Served } from '../../program/support/program.js'
import { CHROMIUM, launchBrowser, WITHOUT } from '../browser.js'
import { openSignedIn, serveGenerated } from './page.js'
import { showAllAt, WIDTHS } from './show-all.js'

const [SEED, ROWS] = [7, 6_000]
const HASH = `#project=${projectRef(SEED, TOP_RANK)}&range=7day&errors=1`

if (CHROMIUM === undefined) test('there is no browser', () => console.log(WITHOUT))
else describe('the explorer at all widths', withBrowser)

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

  const looks = WIDTHS.flatMap((width) => (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme })))
  test.each(looks)('has no serious finding of accessibility: $width pixels, $colorScheme', async ({
    width,
    colorScheme,
  }) => {
    const { page, findings } = await showAllAt(width, (options) =>
      openSignedIn(browser, service, HASH, { colorScheme, ...options }),
    )
    expect(findings).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
  })
}
