import { it } from 'vitest'
import { expectBackInTime } from '../support/recovery.js'

it('D9: rows are back and answering within 5 s after a kill; until then 503 with Retry-After', () =>
  expectBackInTime(200_000))
