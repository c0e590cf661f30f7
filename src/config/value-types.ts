import { isIP } from 'node:net'
import { parseIso8601 } from '../base/iso8601.js'
import { DAY_US, GIB, HOUR_US, KIB, MIB, MILLISECOND_US, MINUTE_US, SECOND_US } from '../base/units.js'

/** How the text of a setting becomes a value. `read` gives undefined for text that is none of its type. */
export interface ValueType<T> {
  /** What `--help` shows behind the flag; empty for a switch. */
  placeholder: string
  /** Ends the sentence "… is not …". */
  expects: string
  /** The words that it may be, where these are few: the shell completes them. */
  words?: readonly string[]
  /** How it stands in a file of settings, where that need not be a text in quotes. */
  tomlType?: 'number' | 'boolean'
  read(text: string): T | undefined
}

const parseDigits = (text: string) => (/^\d{1,15}$/.test(text) ? Number(text) : undefined)

/** Any text that is not empty. */
export const text = (placeholder: string): ValueType<string> => ({
  placeholder,
  expects: 'a text of at least one character',
  read: (value) => value || undefined,
})

/** One of some words. */
export const oneOf = <Word extends string>(placeholder: string, ...words: readonly Word[]): ValueType<Word> => ({
  placeholder,
  expects: `one of ${words.join(', ')}`,
  words,
  read: (value) => words.find((word) => word === value),
})

/**
 * The address of a server that speaks HTTP. Names and passwords are refused, since every user of the machine may read
 * them. Errors name the server and the example.
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

const MOST_HOST_CHARACTERS = 253
/** Letters, digits, - and _ in labels between dots; DNS allows 63 characters a label. */
const HOST_LABEL = /^(?!-)[\w-]{1,63}$/
const DOTTED_QUAD = /^\d+(\.\d+){3}$/

/** An IP address or the name of a host, without port, scheme and brackets. The name need not resolve yet. */
export const hostName: ValueType<string> = {
  placeholder: 'ADDRESS',
  expects: 'an address or a name, such as 127.0.0.1, 0.0.0.0, :: or localhost, without a port',
  read(value) {
    if (isIP(value) !== 0) return value
    if (value.length > MOST_HOST_CHARACTERS || DOTTED_QUAD.test(value)) return undefined
    const labels = value.replace(/\.$/, '').split('.')
    return labels.every((label) => HOST_LABEL.test(label)) ? value : undefined
  },
}

/** A name in a database. */
export const identifier = (placeholder: string): ValueType<string> => ({
  placeholder,
  expects: 'a name of letters, digits and _, not starting with a digit',
  read: (value) => (/^[A-Za-z_]\w{0,127}$/.test(value) ? value : undefined),
})

/** An integer from `least` to `most`. */
export const integer = (placeholder: string, least: number, most: number): ValueType<number> => ({
  placeholder,
  expects: `an integer from ${least} to ${most}`,
  tomlType: 'number',
  read(value) {
    const number = parseDigits(value)
    return number !== undefined && number >= least && number <= most ? number : undefined
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

/** On if the flag is given, or the variable says so; words in any case. */
export const onOff: ValueType<boolean> = {
  placeholder: '',
  expects: 'one of 1, true, yes, on, 0, false, no, off',
  tomlType: 'boolean',
  read: (value) => SWITCH_WORDS.get(value.toLowerCase()),
}

const BYTES: Record<string, number> = { '': 1, K: KIB, M: MIB, G: GIB, T: 1024 * GIB }
/** Digits, a fraction, and a unit with or without `B` or `iB`: 512M, 512MB, 512Mi, 512 MiB, 0.5G. */
const SIZE = /^(\d{0,15}(?:\.\d{1,15})?) ?(?:([KMGT])(?:i?B?)|B)?$/i

/** A number of bytes, at least 1. Units are powers of 1024 in every spelling; a fraction needs a unit, and is rounded down. */
export const bytes: ValueType<number> = {
  placeholder: 'BYTES',
  expects: 'a number of bytes above 0, such as 1073741824, 512M, 512MB, 512Mi or 0.5G',
  tomlType: 'number',
  read(value) {
    const [, number = '', unit = ''] = SIZE.exec(value) ?? []
    if (unit === '' && number.includes('.')) return undefined
    const count = Math.floor(Number(number) * BYTES[unit.toUpperCase()]!)
    return count > 0 && Number.isSafeInteger(count) ? count : undefined
  },
}

const SPANS_US: Record<string, number> = { s: SECOND_US, m: MINUTE_US, h: HOUR_US, d: DAY_US }

/** A length of time, read into microseconds. */
export const durationUs: ValueType<number> = {
  placeholder: 'TIME',
  expects: 'a length of time above 0, such as 90s, 30m, 12h or 7d',
  read(value) {
    const match = /^(\d{1,6})([smhd])$/.exec(value)
    return (match && Number(match[1]) * SPANS_US[match[2]!]!) || undefined
  },
}

/** A length of time that timers can wait, from a second to a day, read into microseconds. */
export const timeoutUs: ValueType<number> = {
  placeholder: 'TIME',
  expects: 'a length of time from 1s to 1d, such as 95s or 10m',
  read(value) {
    const us = durationUs.read(value)
    return us !== undefined && us <= DAY_US ? us : undefined
  },
}

/** Values of a kind, none of them twice, between commas. */
export const listOf = <T>(type: ValueType<T>, most = Number.POSITIVE_INFINITY): ValueType<readonly T[]> => ({
  placeholder: `${type.placeholder},…`,
  expects: `a comma-separated list without duplicates${most < Number.POSITIVE_INFINITY ? `, at most ${most} long` : ''}, in which each item is ${type.expects}`,
  read(value) {
    const values = value.split(',').map((part) => type.read(part))
    const isList = values.length <= most && new Set(values).size === values.length
    return isList && values.every((one) => one !== undefined) ? (values as T[]) : undefined
  },
})

/** How often something may be done: so many times in a unit of time, and the text that says so. */
export interface Rate {
  text: string
  count: number
  unitMs: number
}

/** A number of times in a second, minute, hour or day. */
export const rate: ValueType<Rate> = {
  placeholder: 'RATE',
  expects: 'a rate above 0, such as 100/s, 600/m, 1000/h or 5000/d',
  read(text) {
    const match = /^([1-9]\d{0,6})\/([smhd])$/.exec(text)
    return match ? { text, count: Number(match[1]), unitMs: SPANS_US[match[2]!]! / MILLISECOND_US } : undefined
  },
}

/** A moment in microseconds since the epoch, or how long after now it comes. */
export type Expiry = { atUs: number } | { afterUs: number }

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

/** A name that people give to an access token, and that is typed again to revoke it. */
export const tokenName: ValueType<string> = {
  placeholder: 'NAME',
  expects: 'a name of letters, digits, dots, dashes and _, starting with a letter or digit, at most 64 characters',
  read: (value) => (/^[A-Za-z0-9][\w.-]{0,63}$/.test(value) ? value : undefined),
}

/** The name of a project, as records have it. */
export const projectName: ValueType<string> = {
  placeholder: 'PROJECT',
  expects: 'the name of a project, without control characters, at most 200 characters',
  read: (value) => (/^[^\p{Cc}\p{Cs}]{1,200}$/u.test(value) && value.length <= 200 ? value : undefined),
}
