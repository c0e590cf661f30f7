import { expect, test } from 'vitest'
import { messageOf } from '../../src/common/error-body.js'

test.each([
  [{ error: 'No.', code: 'x' }, 'No.'],
  [{ error: { message: 'No.', code: 'x' } }, 'No.'],
  [{ error: { message: 'No.' } }, 'No.'],
  [{ error: { code: 'x' } }, undefined],
  [{ error: { message: 7 } }, undefined],
  [{ error: null }, undefined],
  [{ message: 'No.' }, undefined],
  ['No.', undefined],
  [null, undefined],
  [undefined, undefined],
])('the message of %j is %j', (body, message) => {
  expect(messageOf(body)).toBe(message)
})
