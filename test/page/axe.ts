import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Finding {
  impact: string
  id: string
  nodes: { target: string[]; failureSummary: string }[]
}

interface Axe {
  run(options: object): Promise<{ violations: Finding[] }>
}

/**
 * Returns axe-core's findings of impact serious or critical on the page in its current state: findings of all rules,
 * and contrast findings in the other theme, light or dark, in which only colours differ.
 */
export async function seriousFindings(page: Page): Promise<string[]> {
  // Through the debugger, to which the page's Content Security Policy does not apply.
  await page.evaluate(AXE)
  const findings = await findingsOf(page)
  const theme = await themeOf(page)
  const other = theme === 'dark' ? 'light' : 'dark'
  await showTheme(page, other)
  findings.push(...(await findingsOf(page, ['color-contrast'])).map((finding) => `${other}: ${finding}`))
  await showTheme(page, theme)
  return findings
}

const themeOf = (page: Page) => page.evaluate(() => document.documentElement.dataset.theme)

/** Changes the colours of the page, and nothing else of the page's state. */
const showTheme = (page: Page, theme: string | undefined) =>
  page.evaluate((given) => void (document.documentElement.dataset.theme = given), theme)

/** Returns the serious findings of some rules, or of all. */
async function findingsOf(page: Page, rules?: readonly string[]): Promise<string[]> {
  // Leaves out the places that pass: their selectors take most of the time.
  const options = { resultTypes: ['violations'], ...(rules && { runOnly: rules }) }
  const violations = await page.evaluate(async (given) => {
    const { axe } = globalThis as unknown as { axe: Axe }
    return (await axe.run(given)).violations
  }, options)
  return violations
    .filter(({ impact }) => ['serious', 'critical'].includes(impact))
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary}`),
    )
}
