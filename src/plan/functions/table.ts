import { CAST } from './cast.js'
import { COMPARE } from './compare.js'
import type { ScalarFunction } from './function.js'
import { JSON_FUNCTIONS } from './json.js'
import { LIST } from './list.js'
import { LOGIC } from './logic.js'
import { NUMBER } from './number.js'
import { TEXT } from './text.js'
import { TIME } from './time.js'

const ALL = { ...LOGIC, ...COMPARE, ...NUMBER, ...TEXT, ...CAST, ...TIME, ...JSON_FUNCTIONS, ...LIST }

/** The name of a function of expressions. */
export type FunctionName = keyof typeof ALL

/** Every function of expressions, by name. To add a function, add a line to the file of its kind. */
export const FUNCTIONS: Readonly<Record<FunctionName, ScalarFunction>> = ALL

/** The functions that read their arguments as texts: a number in a field is the digits that the client sent. */
export const TEXT_FUNCTIONS: ReadonlySet<string> = new Set([...Object.keys(TEXT), 'cast_string', 'safe_cast_string'])
