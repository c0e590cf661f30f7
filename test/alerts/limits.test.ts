import { expect, it } from 'vitest'
import { QUEUE_LIMITS } from '../../src/alerts/delivery/queue.js'
import { RETRY } from '../../src/alerts/delivery/retry.js'
import { MAX_ANSWER_BYTES, SEND_TIMEOUT_MS } from '../../src/alerts/delivery/send.js'
import { MAX_MESSAGE_ALERTS, MAX_MESSAGE_CHARACTERS } from '../../src/alerts/delivery/slack.js'
import { MAX_REQUEST_ALERTS, MAX_REQUEST_BYTES } from '../../src/alerts/delivery/webhook.js'
import { MAX_VALUE_CHARACTERS } from '../../src/alerts/rules/row-content.js'
import { MAX_RULE_COLUMNS } from '../../src/alerts/rules/rule.js'
import { MAX_TEXT_CHARACTERS, MAX_TEXT_VALUE_CHARACTERS } from '../../src/alerts/rules/text-template.js'
import { MAX_LABEL_CHARACTERS } from '../../src/alerts/states/labels.js'
import { ALERT_LIMITS, FAILURES_TO_BREAK, RESOLVED_FOR_US } from '../../src/alerts/states/limits.js'

it('are those that receivers and rules rely on', () => {
  expect(ALERT_LIMITS).toEqual({ ofProject: 100, ofRule: 1_000 })
  expect([FAILURES_TO_BREAK, RESOLVED_FOR_US]).toEqual([3, 900_000_000])
  expect(QUEUE_LIMITS).toEqual({ notifications: 1_000, bytes: 16_777_216, parallel: 4 })
  expect(RETRY).toEqual({ firstMs: 1_000, mostMs: 300_000, giveUpMs: 86_400_000 })
  expect([SEND_TIMEOUT_MS, MAX_ANSWER_BYTES]).toEqual([10_000, 65_536])
  expect([MAX_MESSAGE_ALERTS, MAX_MESSAGE_CHARACTERS]).toEqual([20, 3_000])
  expect([MAX_REQUEST_ALERTS, MAX_REQUEST_BYTES]).toEqual([100, 262_144])
  expect([MAX_TEXT_VALUE_CHARACTERS, MAX_TEXT_CHARACTERS, MAX_LABEL_CHARACTERS]).toEqual([200, 1_000, 256])
})

it('let the largest alert fit into a request', () => {
  // A character takes at most six bytes of JSON. A label is in the request twice: of the alert, and of all alerts.
  const bytes = 6 * (MAX_RULE_COLUMNS * Math.max(MAX_VALUE_CHARACTERS, 2 * MAX_LABEL_CHARACTERS) + MAX_TEXT_CHARACTERS)
  expect(bytes).toBeLessThan(MAX_REQUEST_BYTES)
})
