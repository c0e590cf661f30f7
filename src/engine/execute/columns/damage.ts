import type { LogweirError } from '../../../base/errors.js'

/** Whether an error says that stored bytes of a part are damaged. */
export const isDamage = (error: unknown): error is LogweirError =>
  (error as { code?: unknown } | undefined)?.code === 'damaged_segment'
