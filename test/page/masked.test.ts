import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Served, serve } from '../program/support/program.js'
import { seriousFindings } from './axe.js'
import { CHROMIUM, launchBrowser, WITHOUT } from './browser.js'
import { type ApiRow, loaded, openSignedIn, send } from './explore/page.js'

if (CHROMIUM === undefined) test('there is no browser', () => console.log(WITHOUT))
else describe('a row with masked values', withBrowser)

/** Three treatments: two of a whole value, one of a part of the message. */
const RULES = `
[[mask]]
name = "users"
path = "user"
with = "hash"
[[mask]]
name = "cards"
builtin = "card"
with = "last4"
[[mask]]
name = "tokens"
builtin = "bearer"
with = "***"
`

const RECORD = {
  timestamp: new Date().toISOString(),
  message: 'login with Bearer abcdef0123456789 *and*',
  metadata: [{ user: 'ann', paid_by: '4111 1111 1111 1111', method: 'GET' }],
}

function withBrowser(): void {
  let browser: Browser
  let service: Served
  let kill: () => Promise<void>
  let directory: string
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'logweir-test-'))
    await writeFile(join(directory, 'mask.toml'), RULES)
    browser = await launchBrowser()
    service = await serve(['--mask', join(directory, 'mask.toml'), '--mask-key-file', join(directory, 'mask.key')], {
      atEnd: (given) => {
        kill = given
      },
    })
    await send(service, 'auth_logs', 'p', [RECORD])
  })
  afterAll(async () => {
    await browser?.close()
    await kill?.()
    await rm(directory, { recursive: true })
  })

  test('has them marked in the list and in its fields, and no other text', async () => {
    const { page, errors } = await openSignedIn(browser, service, '#project=p&source=auth_logs')
    await loaded(page)
    const marked = (of: string) => page.locator(`${of} .masked`).allTextContents()
    await page.locator('#list').focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.locator('#detail .masked').first().waitFor()
    const start = new Date(Date.now() - 3_600_000).toISOString()
    const [row]: ApiRow[] = await service.rows(`logs.explore?project=p&source=auth_logs&start=${start}`)
    const { user, paid_by } = row!.metadata[0]
    expect([row!.event_message, paid_by]).toEqual(['login with Bearer *** *and*', '***1111'])
    expect(user).toMatch(/^hash:[0-9a-f]{16}$/)
    expect(await marked('#list')).toEqual(['***'])
    expect((await marked('#detail')).sort()).toEqual(['***', '***1111', user].sort())
    expect(await page.locator('#detail .masked').first().getAttribute('title')).toBe('Masked on arrival')
    expect(await seriousFindings(page)).toEqual([])
    expect(errors).toEqual([])
  })
}
