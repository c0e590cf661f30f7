import { readdirSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { createTestApp, PREFIX } from './support.js'

const { app } = createTestApp()
const open = async (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  app.fetch(new Request(PREFIX + path, { headers, method }))
const fileOf = (name: string) => readFileSync(new URL(`../../src/page/${name}`, import.meta.url), 'utf8')

describe('the page', () => {
  test.each([
    ['/', 'index.html', 'text/html; charset=utf-8'],
    ['/page/styles/base.css', 'styles/base.css', 'text/css; charset=utf-8'],
    ['/page/icon.svg', 'icon.svg', 'image/svg+xml'],
  ])('%s needs no token', async (path, name, type) => {
    const response = await open(path)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, type])
    expect(await response.text()).toBe(fileOf(name))
  })

  test('lets the browser ask this host only, run nothing inline, and be in no frame', async () => {
    const policy = (await open('/')).headers.get('content-security-policy')!.split('; ')
    expect(policy).toContain("default-src 'none'")
    for (const part of ['script-src', 'style-src', 'img-src', 'connect-src']) expect(policy).toContain(`${part} 'self'`)
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy.join()).not.toMatch(/unsafe|https?:|\*/)
  })

  test('holds nothing inline, and names no other host', () => {
    const html = fileOf('index.html')
    expect(html.match(/<script\b/g)).toHaveLength(1)
    expect(html).not.toMatch(/<style|\son\w+=|\sstyle=|https?:/)
    const styles = readdirSync(new URL('../../src/page/styles', import.meta.url))
    expect(styles).toContain('base.css')
    for (const name of styles) expect(fileOf(`styles/${name}`), name).not.toMatch(/url\(|@import/)
  })

  test('is sent again only where it has changed', async () => {
    const first = await open('/')
    const tag = first.headers.get('etag')!
    const again = await open('/', { 'If-None-Match': `"other", ${tag}` })
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', tag])
    expect((await open('/', { 'If-None-Match': 'W/"other"' })).status).toBe(200)
  })

  test('is compressed where that is asked for', async () => {
    const response = await open('/page/styles/base.css', { 'Accept-Encoding': 'gzip' })
    expect(response.headers.get('content-encoding')).toBe('gzip')
    expect(gunzipSync(Buffer.from(await response.arrayBuffer())).toString()).toBe(fileOf('styles/base.css'))
  })

  test('HEAD has the headers of GET', async () => {
    const [got, head] = [await open('/'), await open('/', {}, 'HEAD')]
    expect(Object.fromEntries(head.headers)).toEqual(Object.fromEntries(got.headers))
    expect(await head.text()).toBe('')
  })

  test.each([
    '/page/',
    '/page/main.ts',
    '/page/api/api.ts',
    '/page/styles/',
    '/page/../cli.ts',
    '/page/%2e%2e/cli.ts',
    '/page/tsconfig.json',
  ])('nothing else is open: %s', async (path) => expect((await open(path)).status).toBe(401))
})
