import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { MAX_RECEIVERS, readReceivers } from '../../../src/alerts/delivery/receivers.js'

const SECRET = 'https://hooks.example.com/T0/B0/secret'

function fileOf(text: string): { path: string; folder: string } {
  const folder = mkdtempSync(join(tmpdir(), 'logweir-receivers-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'receivers.toml')
  writeFileSync(path, text.replaceAll('FOLDER', folder), { mode: 0o600 })
  return { path, folder }
}

it('reads texts, variables and files', () => {
  const { path, folder } = fileOf(`
[ops]
kind = "webhook"
url = { env = "HOOK" }
headers = { Authorization = { file = "FOLDER/token" } }

[chat]
kind = "slack"
url = "${SECRET}"

[am]
kind = "alertmanager"
url = "http://127.0.0.1:9093"
[am.headers]
X-Scope-OrgID = "a"
`)
  writeFileSync(join(folder, 'token'), 'Bearer abc\n')
  const { receivers, warning } = readReceivers(path, { HOOK: SECRET })
  expect([...receivers.values()]).toEqual([
    { name: 'ops', kind: 'webhook', url: SECRET, headers: { Authorization: 'Bearer abc' } },
    { name: 'chat', kind: 'slack', url: SECRET, headers: {} },
    { name: 'am', kind: 'alertmanager', url: 'http://127.0.0.1:9093/', headers: { 'X-Scope-OrgID': 'a' } },
  ])
  expect(warning).toBeUndefined()
  chmodSync(path, 0o644)
  expect(readReceivers(path, { HOOK: SECRET }).warning).toContain('chmod 600')
})

it('takes 50 receivers, and no more', () => {
  const tableOf = (_: unknown, i: number) => `[r${i}]\nkind = "slack"\nurl = "http://a"\n`
  const textOf = (count: number) => Array.from({ length: count }, tableOf).join('')
  expect(readReceivers(fileOf(textOf(MAX_RECEIVERS)).path, {}).receivers.size).toBe(50)
  expect(() => readReceivers(fileOf(textOf(MAX_RECEIVERS + 1)).path, {})).toThrow('there may be 50 receivers.')
})

const table = (lines: string) => `[ops]\nkind = "webhook"\n${lines}`

it.each([
  ['usage', '[ops]\nurl = "https://a"', 'line 1: ops needs a kind: "webhook", "slack", "alertmanager".'],
  ['usage', '[ops]\nkind = "mail"', 'line 1: ops needs a kind: "webhook", "slack", "alertmanager".'],
  ['usage', 'ops = 1', 'line 1: ops is not a table. Write [ops] above the lines of the receiver.'],
  ['usage', table('uri = "x"'), 'line 1: ops has an unknown key "uri". Did you mean url?'],
  ['usage', table(''), 'line 1: url of ops is neither a text nor { env = "NAME" } nor { file = "/run/secrets/name" }.'],
  ['usage', table('url = { env = "NO" }'), 'line 1: url of ops: the environment variable NO is not set.'],
  ['failed', table('url = { file = "/no/such" }'), 'line 1: url of ops: /no/such cannot be read (ENOENT).'],
  ['usage', table('url = "no url SECRET"'), 'line 1: url of ops is not a URL, such as https://example.com/hook.'],
  ['usage', table('url = "ftp://SECRET"'), 'line 1: url of ops begins neither with https:// nor with http://.'],
  [
    'usage',
    table('url = "http://a:SECRET@b/"'),
    'line 1: url of ops has a name or a password: send a header Authorization.',
  ],
  [
    'usage',
    table('url = "http://a"\nheaders = { Host = "SECRET" }'),
    'line 1: headers of ops: "Host" is set by the delivery itself. Delete the line.',
  ],
  [
    'usage',
    table('url = "http://a"\nheaders = { X-A = "SECRET\\r\\nX-B: c" }'),
    'line 1: headers of ops: "X-A" is empty, too long, or has line breaks or characters that no request may have.',
  ],
  [
    'usage',
    table('url = "http://a"\nheaders = { "a b" = "SECRET" }'),
    'line 1: headers of ops: "a b" is not the name of a header.',
  ],
  ['usage', '[ops]\nurl = SECRET', 'line 2: not TOML: invalid value. A line is: name = value, texts in quotes.'],
])('refuses a wrong file, and quotes no secret: %#', (code, text, message) => {
  const { path } = fileOf(text)
  let error: unknown
  try {
    readReceivers(path, {})
  } catch (thrown) {
    error = thrown
  }
  expect(error).toMatchObject({ code, message: `${path} ${message}` })
  expect(String(error)).not.toContain('SECRET')
})
