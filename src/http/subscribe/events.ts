import type { Change, Result } from './result.js'

/** The events of a subscription, with their data as JSON on one line. */

/** An event, and the state of the answer that a client has after the event. */
export interface StateEvent {
  readonly number: number
  readonly bytes: Buffer
}

const keyMember = ({ key }: Pick<Result, 'key'>) => (key === undefined ? '' : `,"key":${JSON.stringify(key)}`)
const ending = (watermark: string) => `,"watermark":"${watermark}"}`

/** Returns the data of the event that has the whole answer. `key` says that changes can follow. */
export const snapshotJson = (result: Pick<Result, 'rows' | 'key'>, watermark: string): string =>
  `{"result":[${result.rows.join(',')}]${keyMember(result)}${ending(watermark)}`

/** Returns the bytes of {@link snapshotJson}, without making the text. */
export const snapshotBytes = ({ key, rows, rowsBytes }: Result, watermark: string): number =>
  Buffer.byteLength(snapshotJson({ key, rows: [] }, watermark)) + rowsBytes + Math.max(0, rows.length - 1)

/** Returns the data of the event that makes one answer of another. */
export const changeJson = (change: Change, watermark: string): string =>
  `{"upsert":[${change.upsert.join(',')}],"delete":[${change.delete.join(',')}]${ending(watermark)}`

/** Returns an event. The id is the watermark. */
export const eventBytes = (name: 'snapshot' | 'change', json: string, watermark: string): Buffer =>
  Buffer.from(`id: ${watermark}\nevent: ${name}\ndata: ${json}\n\n`)
