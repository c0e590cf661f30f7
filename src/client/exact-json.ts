import { quoteLongIntegers } from '../base/text/long-integers.js'

/** Whether a double does not hold an integer. */
const isUnsafe = (digits: string) => !Number.isSafeInteger(Number(digits))

/** Parses JSON. An integer that no double holds becomes a text of its digits. Throws a `SyntaxError`. */
export const parseExact = (json: string): unknown => JSON.parse(quoteLongIntegers(json, isUnsafe))
