import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { eventRecord } from '../../src/alerts/states/event-record.js'
import type { AlertEvent } from '../../src/alerts/states/state.js'

const EVENT: AlertEvent = {
  rule: 'edge.errors',
  identity: 'i',
  state: 'firing',
  instantUs: 1_795_953_600_000_000,
  startsUs: 1_795_953_600_000_000,
  labels: [
    ['path', '/x'],
    ['project', 'a'],
  ],
  values: [['errors', 4]],
  text: '/x fails',
}

it('is the record of a change of state', () => {
  const name = 'logweir:alert:["edge.errors",[["path","/x"],["project","a"]],"firing",1795953600000000]'
  const hash = createHash('sha1')
    .update(Buffer.from('6ba7b8119dad11d180b400c04fd430c8', 'hex'))
    .update(name)
    .digest('hex')
  const { id, ...record } = eventRecord(EVENT, 'critical')
  expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-5[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
  expect(id.slice(0, 13)).toBe(`${hash.slice(0, 8)}-${hash.slice(8, 12)}`)
  expect(record).toEqual({
    timestamp: 1_795_953_600_000_000,
    event_message: '/x fails',
    project: 'a',
    metadata: {
      rule: 'edge.errors',
      state: 'firing',
      labels: { path: '/x', project: 'a' },
      values: { errors: 4 },
      severity: 'critical',
    },
  })
})

it('has no project without that label, and another id for another rule, state, label or instant', () => {
  expect(eventRecord({ ...EVENT, labels: [] }, 'critical').project).toBe('')
  const changes = [{}, { rule: 'b' }, { state: 'resolved' }, { labels: [] }, { instantUs: 1 }] as const
  expect(new Set(changes.map((change) => eventRecord({ ...EVENT, ...change }, 'critical').id)).size).toBe(5)
})
