import { describe, expect, it } from 'vitest'
import { LogweirError } from '../../src/base/errors.js'
import { explainConnecting, explainQuery } from '../../src/import/postgres/errors.js'

const PLACE = { server: 'db:5432', database: '_supabase', user: 'u' }
const error = (message: string, code?: string) => Object.assign(new Error(message), { code })
const WHERE = 'PostgreSQL at db:5432, database _supabase, user u'

describe('explainConnecting', () => {
  it.each([
    [
      'getaddrinfo ENOTFOUND db',
      'ENOTFOUND',
      /^PostgreSQL at db:5432 does not answer \(ENOTFOUND\)\. Check host and port/,
    ],
    ['', 'ECONNREFUSED', /^PostgreSQL at db:5432 does not answer \(ECONNREFUSED\)\. /],
    ['timeout expired', undefined, /^PostgreSQL at db:5432 does not answer \(timeout expired\)\. /],
  ])('says that no server answers: %s', (message, code, expected) => {
    expect(explainConnecting(error(message, code), PLACE).message).toMatch(expected)
  })

  it('says what the server refuses, and how to fix it', () => {
    const message = (...of: Parameters<typeof error>) => explainConnecting(error(...of), PLACE).message
    expect(message('The server does not support SSL connections')).toBe(
      `${WHERE}: The server does not support SSL connections. Check the URL, and its sslmode if the server needs TLS.`,
    )
    expect(message('self-signed certificate', 'DEPTH_ZERO_SELF_SIGNED_CERT')).toBe(
      `${WHERE}: self-signed certificate. Check the URL, and its sslmode if the server needs TLS.`,
    )
    expect(message('no pg_hba.conf entry for host', '28000')).toBe(
      `${WHERE}: no pg_hba.conf entry for host. Check the user in the URL, and the rules in pg_hba.conf.`,
    )
    expect(message('sorry, too many clients already', '53300')).toBe(
      `${WHERE}: sorry, too many clients already (53300).`,
    )
  })
})

describe('explainQuery', () => {
  it.each([
    ['terminating connection due to administrator command', '57P01'],
    ['read ECONNRESET', 'ECONNRESET'],
    ['Connection terminated unexpectedly', undefined],
  ])('says that the connection was lost, and that the command continues: %s', (message, code) => {
    expect(explainQuery(error(message, code), PLACE).message).toBe(
      `${WHERE}: the connection was lost (${message}). ` +
        'Run the same command again: it continues where this one stopped.',
    )
  })

  it('leaves an error of logweir as it is', () => {
    const own = new LogweirError('failed', 'a message')
    expect(explainQuery(own, PLACE)).toBe(own)
  })
})
