import { describe, expect, it } from 'vitest'
import { type GenerateOptions, generate } from '../../src/generate/generate.js'

const OPTIONS = { rows: 5_000, endUs: Date.UTC(2026, 10, 20) * 1000, spanUs: 7 * 86_400e6, slim: false } as const

// biome-ignore lint/suspicious/noExplicitAny: records are any JSON, and the tests read their members
type Json = any
const first = (value: Json): Json => (Array.isArray(value) ? value[0] : value)

/** Records of a source, with their metadata as an object. */
function recordsOf(source: GenerateOptions['source'], seed: number): Json[] {
  const text = Buffer.concat([...generate({ ...OPTIONS, source, seed, projects: 20, badEvery: 0 })]).toString()
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
    .map((record) => ({ ...record, metadata: first(record.metadata) }))
}

describe.each([1, 2])('generated records of seed %i do not contradict themselves', (seed) => {
  const auth = recordsOf('auth_logs', seed)
  const told = auth.map(({ event_message }) => JSON.parse(event_message))

  it('a message that begins with a status has that status, and is an error', () => {
    const failed = auth.filter(({ metadata }) => /^\d{3}: /.test(metadata.msg))
    expect(failed.length).toBeGreaterThan(500)
    for (const { metadata } of failed) {
      expect([metadata.status, metadata.level === 'info']).toEqual([Number(metadata.msg.slice(0, 3)), false])
      expect(metadata.msg).toContain(metadata.error)
    }
  })

  it('a request that failed says so, and no other does', () => {
    for (const { metadata } of auth) {
      const hasFailed = metadata.status >= 400
      expect([/^\d{3}: /.test(metadata.msg), 'error' in metadata]).toEqual([hasFailed, hasFailed])
    }
  })

  it('a status of 401 is no refreshed token, and 204 no error', () => {
    const messages = (status: number) => [
      ...new Set(auth.filter(({ metadata }) => metadata.status === status).map(({ metadata }) => metadata.msg)),
    ]
    expect(messages(401)).toEqual(['401: invalid JWT: token is expired'])
    expect(messages(204)).toEqual(['request completed'])
    expect(messages(500)).toEqual(['500: Database error finding user'])
  })

  it('users have done nothing in a request that failed', () => {
    for (const { metadata } of auth) {
      const event = first(metadata.auth_event)
      if (event === undefined) continue
      expect(metadata.status).toBeLessThan(300)
      expect(event.actor_id).toBe(metadata.user_id)
      expect(['login', 'logout', 'token_refreshed', 'user_signedup']).toContain(event.action)
    }
    expect(auth.filter(({ metadata }) => metadata.auth_event !== undefined).length).toBeGreaterThan(1_000)
  })

  it('a failed login names its user in the message', () => {
    const logins = auth.filter(({ metadata }) => metadata.error === '400: Invalid login credentials')
    expect(logins.length).toBeGreaterThan(50)
    for (const { event_message } of logins) {
      expect(JSON.parse(event_message).msg).toMatch(/^400: Invalid login credentials for user\d+@example\.com$/)
    }
  })

  it('the message of a request has the fields of its metadata', () => {
    for (const [i, { metadata }] of auth.entries()) {
      const { level, method, msg, path, remote_addr, status } = metadata
      expect(told[i]).toMatchObject({ level, method, msg, path, remote_addr, status })
    }
  })

  it.each([
    'edge_logs',
    'function_edge_logs',
    'storage_logs',
  ] as const)('statuses of %s are of the method', (source) => {
    for (const { event_message } of recordsOf(source, seed)) {
      const [method, status] = event_message.split(' | ')
      expect(['GET', 'HEAD'].includes(method) ? ['201', '204'] : ['206', '304']).not.toContain(status)
    }
  })
})
