import type { Cost } from '../api/cost.js'
import { count, duration } from './format.js'

/** Returns the work of the service for an answer: `1,200 rows read, 3.1 ms`, or empty if unknown. */
export function workText({ rows, ms }: Cost): string {
  const parts = [rows === undefined ? '' : `${count(rows)} rows read`, ms === undefined ? '' : duration(round(ms))]
  return parts.filter((text) => text !== '').join(', ')
}

const round = (ms: number) => (ms < 10 ? Math.round(ms * 10) / 10 : Math.round(ms))
