import type { SendResult } from './send.js'

/** The first wait, the longest wait, and how long a notification is tried. */
export const RETRY = { firstMs: 1_000, mostMs: 300_000, giveUpMs: 24 * 3_600_000 } as const
/** The share by which a wait is longer or shorter by chance, so that not all services try at once. */
const JITTER = 0.2
/** The longest wait that a receiver may ask for. */
const MAX_RETRY_AFTER_MS = 3_600_000

/** Whether a try may succeed later: there was no answer, or 408, 429 or 5xx. */
export function isTemporary({ word, status }: SendResult): boolean {
  if (word === 'delivered') return false
  return status === undefined || status === 408 || status === 429 || status >= 500
}

/**
 * Returns the wait before the next try, given how many tries there were, at least 1, and a random number from 0 to 1. A
 * Retry-After, in seconds or as a date, makes the wait longer, never shorter.
 */
export function waitMs(tries: number, { retryAfter }: SendResult, random: number, nowMs: number): number {
  const doubled = Math.min(RETRY.mostMs, RETRY.firstMs * 2 ** (tries - 1))
  return Math.max(doubled * (1 - JITTER / 2 + JITTER * random), retryAfterMs(retryAfter, nowMs))
}

function retryAfterMs(text: string | undefined, nowMs: number): number {
  if (text === undefined) return 0
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - nowMs
  return Math.min(MAX_RETRY_AFTER_MS, Math.max(0, ms || 0))
}
