import { LogweirError } from '../errors.js'

/** Returns the error for a pattern that takes too long on a text. */
export const tooSlow = (text: string | Buffer): LogweirError<'invalid_pattern'> =>
  new LogweirError(
    'invalid_pattern',
    `The pattern takes too long on a text of ${text.length} ${typeof text === 'string' ? 'characters' : 'bytes'}. ` +
      'Write a shorter pattern with fewer repetitions, or search a part of the text, as substr(text, 1, 10000).',
  )
