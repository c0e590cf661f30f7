import { isIP } from 'node:net'
import { parseIso8601 } from '../base/time/iso8601.js'
import { DAY_US, GIB, HOUR_US, KIB, MIB, MILLISECOND_US, MINUTE_US, SECOND_US } from '../base/units.js'

/** A type of setting: how the text is validated and converted to a value. */
export interface ValueType<T> {
  /** The argument that `--help` shows after the flag. Empty for a switch. */
  placeholder: string
  /** Ends the sentence "… is not …" of error messages. */
  expects: string
  /** Returns the fault of an invalid text, as a sentence without a dot, in place of `expects`. */
  faultOf?(text: string): string
  /** All valid texts, if there are few: shells complete the texts. */
  words?: readonly string[]
  /** The TOML type that a settings file may use instead of a text in quotes. */
  tomlType?: 'number' | 'boolean'
  /** Returns the value, or undefined if the text is not valid. */
  read(text: string): T | undefined
}

const parseDigits = (text: string) => (/^\d{1,15}$/.test(text) ? Number(text) : undefined)

/** A text that is not empty. */
export const text = (placeholder: string): ValueType<string> => ({
  placeholder,
  expects: 'a text of at least one character',
  read: (value) => value || undefined,
})

/** A word of a short list. */
export const oneOf = <Word extends string>(placeholder: string, ...words: readonly Word[]): ValueType<Word> => ({
  placeholder,
  expects: `one of ${words.join(', ')}`,
  words,
  read: (value) => words.find((word) => word === value),
})

/**
 * The URL of an HTTP server. Names and passwords in the URL are refused, because every user of the machine can read
 * flags. Error messages contain `server` and `example`.
 */
export const httpUrl = (server: string, example: string): ValueType<string> => ({
  placeholder: 'URL',
  expects: `the URL of ${server}, such as ${example}, without name and password`,
  read(value) {
    if (!URL.canParse(value)) return undefined
    const { protocol, username, password } = new URL(value)
    return /^https?:$/.test(protocol) && username === '' && password === '' ? value : undefined
  },
})

const MAX_HOST_CHARACTERS = 253
/** A part of a host name between dots: letters, digits, `-` and `_`. DNS allows 63 characters. */
const HOST_LABEL = /^(?!-)[\w-]{1,63}$/
const DOTTED_QUAD = /^\d+(\.\d+){3}$/

/** An IP address or a host name, without port, scheme and brackets. The name is not resolved. */
export const hostName: ValueType<string> = {
  placeholder: 'ADDRESS',
  expects: 'an address or a name, such as 127.0.0.1, 0.0.0.0, :: or localhost, without a port',
  read(value) {
    if (isIP(value) !== 0) return value
    if (value.length > MAX_HOST_CHARACTERS || DOTTED_QUAD.test(value)) return undefined
    const labels = value.replace(/\.$/, '').split('.')
    return labels.every((label) => HOST_LABEL.test(label)) ? value : undefined
  },
}

/** An identifier of a database. */
export const identifier = (placeholder: string): ValueType<string> => ({
  placeholder,
  expects: 'a name of letters, digits and _, not starting with a digit',
  read: (value) => (/^[A-Za-z_]\w{0,127}$/.test(value) ? value : undefined),
})

/** An integer from `min` to `max`, both included. */
export const integer = (placeholder: string, min: number, max: number): ValueType<number> => ({
  placeholder,
  expects: `an integer from ${min} to ${max}`,
  tomlType: 'number',
  read(value) {
    const number = parseDigits(value)
    return number !== undefined && number >= min && number <= max ? number : undefined
  },
})

const SWITCH_WORDS = new Map([
  ['1', true],
  ['true', true],
  ['yes', true],
  ['on', true],
  ['0', false],
  ['false', false],
  ['no', false],
  ['off', false],
])

/** A switch: the flag without a value turns the switch on. Flags, variables and files have words for on and off. */
export const onOff: ValueType<boolean> = {
  placeholder: '',
  expects: 'one of 1, true, yes, on, 0, false, no, off',
  tomlType: 'boolean',
  read: (value) => SWITCH_WORDS.get(value.toLowerCase()),
}

const BYTES: Record<string, number> = { '': 1, K: KIB, M: MIB, G: GIB, T: 1024 * GIB }
/** Digits, a fraction, and a unit with or without `B`, `i` or `iB`: 512M, 512MB, 512Mi, 512 MiB, 0.5G. */
const SIZE = /^(\d{0,15}(?:\.\d{1,15})?) ?(?:([KMGT])(?:i?B?)|B)?$/i

/**
 * A number of bytes, at least 1. Units are powers of 1024 in every spelling. A fraction needs a unit, and is rounded
 * down.
 */
export const bytes: ValueType<number> = {
  placeholder: 'BYTES',
  expects: 'a number of bytes above 0, such as 1073741824, 512M, 512MB, 512Mi or 0.5G',
  tomlType: 'number',
  read(value) {
    const [, number = '', unit = ''] = SIZE.exec(value) ?? []
    if (unit === '' && number.includes('.')) return undefined
    const count = Math.floor(Number(number) * BYTES[unit.toUpperCase()])
    return count > 0 && Number.isSafeInteger(count) ? count : undefined
  },
}

const UNITS_US: Record<string, number> = { s: SECOND_US, m: MINUTE_US, h: HOUR_US, d: DAY_US }

/** A duration, converted to microseconds. */
export const durationUs: ValueType<number> = {
  placeholder: 'TIME',
  expects: 'a length of time above 0, such as 90s, 30m, 12h or 7d',
  read(value) {
    const match = /^(\d{1,6})([smhd])$/.exec(value)
    return (match && Number(match[1]) * UNITS_US[match[2]]) || undefined
  },
}

/** A duration that a timer can wait, from a second to a day, converted to microseconds. */
export const timeoutUs: ValueType<number> = {
  placeholder: 'TIME',
  expects: 'a length of time from 1s to 1d, such as 95s or 10m',
  read(value) {
    const us = durationUs.read(value)
    return us !== undefined && us <= DAY_US ? us : undefined
  },
}

/** A comma-separated list of at most `maxLength` values of a type, without duplicates. */
export const listOf = <T>(type: ValueType<T>, maxLength = Number.POSITIVE_INFINITY): ValueType<readonly T[]> => ({
  placeholder: `${type.placeholder},…`,
  expects:
    `a comma-separated list without duplicates${Number.isFinite(maxLength) ? `, at most ${maxLength} long` : ''}, ` +
    `in which each item is ${type.expects}`,
  read(value) {
    const values = value.split(',').map((part) => type.read(part))
    const isList = values.length <= maxLength && new Set(values).size === values.length
    return isList && values.every((one) => one !== undefined) ? (values as T[]) : undefined
  },
})

/** A rate limit: `count` times in `unitMs`. */
export interface Rate {
  /** As typed, such as 100/s. */
  text: string
  count: number
  unitMs: number
}

/** A rate: a number of times in a second, minute, hour or day. */
export const rate: ValueType<Rate> = {
  placeholder: 'RATE',
  expects: 'a rate above 0, such as 100/s, 600/m, 1000/h or 5000/d',
  read(text) {
    const match = /^([1-9]\d{0,6})\/([smhd])$/.exec(text)
    return match ? { text, count: Number(match[1]), unitMs: UNITS_US[match[2]] / MILLISECOND_US } : undefined
  },
}

/** An ISO 8601 time, in microseconds since the epoch. */
export const isoTime: ValueType<number> = {
  placeholder: 'TIME',
  expects: 'an ISO 8601 time, such as 2026-11-20T10:00:00Z',
  read: parseIso8601,
}

/** A point in time, in microseconds since the epoch or after now. */
export type Expiry = { atUs: number } | { afterUs: number }

/** The expiry of a token: a duration from now, or an ISO 8601 time. */
export const expiry: ValueType<Expiry> = {
  placeholder: 'TIME',
  expects: 'a length of time, such as 12h or 30d, or an ISO 8601 time, such as 2026-11-20T10:00:00Z',
  read(value) {
    const afterUs = durationUs.read(value)
    if (afterUs !== undefined) return { afterUs }
    const atUs = parseIso8601(value)
    return atUs === undefined ? undefined : { atUs }
  },
}

/** The name of an access token, which its owner chooses and can type to revoke the token. */
export const tokenName: ValueType<string> = {
  placeholder: 'NAME',
  expects: 'a name of letters, digits, dots, dashes and _, starting with a letter or digit, at most 64 characters',
  read: (value) => (/^[A-Za-z0-9][\w.-]{0,63}$/.test(value) ? value : undefined),
}

/** The name of a project, as in records. */
export const projectName: ValueType<string> = {
  placeholder: 'PROJECT',
  expects: 'the name of a project, without control characters, at most 200 characters',
  read: (value) => (/^[^\p{Cc}\p{Cs}]{1,200}$/u.test(value) && value.length <= 200 ? value : undefined),
}
