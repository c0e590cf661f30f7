import { randomBytes } from 'node:crypto'

/**
 * A state of the answer of a query that is followed, as stated in the `id` of an event: `<process>.<number>.<query>`.
 * Process and query are random names. The states of a query are numbered from 1.
 */
export interface Watermark {
  process: string
  number: number
  query: string
}

const NAME_BYTES = 6

/** Returns a random name of a process or a query. */
export const randomName = (): string => randomBytes(NAME_BYTES).toString('hex')

/** Returns the text of a watermark, which {@link readWatermark} parses. */
export const writeWatermark = ({ process, number, query }: Watermark): string => `${process}.${number}.${query}`

const WATERMARK = /^([0-9a-f]{12})\.(\d{1,15})\.([0-9a-f]{12})$/

/** Parses the text of {@link writeWatermark}. Returns undefined for any other text. */
export function readWatermark(text: string): Watermark | undefined {
  const match = WATERMARK.exec(text)
  if (match === null) return undefined
  const [, process, number, query] = match
  return { process: process!, number: Number(number), query: query! }
}
