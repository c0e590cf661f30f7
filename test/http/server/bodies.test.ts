import { describe, expect, test } from 'vitest'
import type { RecordIntake } from '../../../src/http/intake/logs.js'
import { bodyOf, exchange, statusLines } from '../../support/raw-http.js'
import { LOGS_ALL } from '../support.js'
import { BAD_REQUEST, get, serve } from './support.js'

/** A server with an intake that keeps the bodies it is given. */
async function open() {
  const stored: string[] = []
  const intake: RecordIntake = {
    writeFailure: () => undefined,
    prepare() {},
    async take(bytes) {
      stored.push(Buffer.from(bytes).toString())
      return { taken: 1, rejected: 0, byReason: {}, rejects: [] }
    },
  }
  return { ...(await serve({ intake, rows: () => [] })), stored }
}

const RECORD = '[{"source":"edge_logs"}]'
const CHUNKS = `${RECORD.length.toString(16)}\r\n${RECORD}\r\n0\r\n\r\n`

/** Returns the text of a request with the token that sends records. */
const post = (body: string, ...headers: readonly string[]) =>
  get('/api/logs', 'Content-Type: application/json', ...headers).replace('GET', 'POST') + body

const glued = get(`${LOGS_ALL}?project=glued`)

describe('S3: records with the token', () => {
  test.each([
    'gurgle, chunked',
    'gzip, chunked',
    'identity, chunked',
    'chunked, chunked',
    ', chunked',
    'gurgle\r\nTransfer-Encoding: chunked',
  ])('in the coding %j are refused with 400, and neither they nor a request behind them is read', async (coding) => {
    const { dial, stored, engine } = await open()
    const heard = await exchange(dial, post(CHUNKS, `Transfer-Encoding: ${coding}`) + glued)
    expect(statusLines(heard)).toEqual(['HTTP/1.1 400 Bad Request'])
    expect(heard.toLowerCase()).toContain('\r\nconnection: close\r\n')
    expect(bodyOf(heard)).toBe(BAD_REQUEST)
    expect([stored, engine.runs]).toEqual([[], []])
  })

  test('in chunks are stored', async () => {
    const { dial, stored } = await open()
    const heard = await exchange(dial, post(CHUNKS, 'Transfer-Encoding: Chunked', 'Connection: close'))
    expect(statusLines(heard)).toEqual(['HTTP/1.1 200 OK'])
    expect(stored).toEqual([RECORD])
  })
})
