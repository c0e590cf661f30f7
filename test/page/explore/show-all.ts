import type { BrowserContextOptions, Page } from 'playwright-core'
import { seriousFindings } from '../axe.js'
import { loaded } from './page.js'

/** Widths of a phone, a tablet and two screens, in CSS pixels. */
export const WIDTHS = [390, 768, 1280, 1920] as const
/** From this width on, the explorer shows all parts next to each other. */
const WIDE = 1_024

/**
 * Opens the explorer at a width, and each part: the fields, a record, the rows around the record, and the choice of a
 * range. Returns the serious findings of accessibility in each state.
 */
export async function showAllAt(
  width: number,
  open: (options: BrowserContextOptions) => Promise<{ page: Page }>,
): Promise<{ page: Page; findings: string[] }> {
  const { page } = await open({ viewport: { width, height: 900 } })
  await loaded(page)
  const findings: string[] = []
  const isNarrow = width < WIDE
  if (isNarrow) {
    await page.click('#show-fields')
    findings.push(...(await seriousFindings(page)))
    await page.click('#show-fields')
  }
  await page.locator('.rows .row').nth(2).click()
  await page.locator('#detail .record').waitFor()
  findings.push(...(await seriousFindings(page)))
  await page.getByRole('button', { name: 'Rows around' }).click()
  await page.getByText(/rows? of \d sources?/).waitFor()
  findings.push(...(await seriousFindings(page)))
  // Back to the record, then to the list.
  for (let i = 0; i < 2; i++) await page.keyboard.press('Escape')
  if (isNarrow) await page.click('#open-sheet')
  await page.click('#range')
  findings.push(...(await seriousFindings(page)))
  return { page, findings }
}
