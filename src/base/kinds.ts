import { DAY_US, GIB, HOUR_US, KIB, MIB, MINUTE_US, SECOND_US } from './units.js'

/** How the text of a setting becomes a value. `read` gives undefined for text that is none of its kind. */
export interface Kind<T> {
  /** What `--help` shows behind the flag; empty for a switch. */
  placeholder: string
  /** Ends the sentence "… is not …". */
  expects: string
  read(text: string): T | undefined
}

const integer = (text: string) => (/^\d{1,15}$/.test(text) ? Number(text) : undefined)

/** Any text that is not empty. */
export const text = (placeholder: string): Kind<string> => ({
  placeholder,
  expects: 'a text of at least one character',
  read: (value) => value || undefined,
})

/** One of some words. */
export const oneOf = <Word extends string>(placeholder: string, ...words: readonly Word[]): Kind<Word> => ({
  placeholder,
  expects: `one of ${words.join(', ')}`,
  read: (value) => words.find((word) => word === value),
})

/** The address of a server that speaks HTTP; names and passwords do not belong into it, for every user of the machine may read it. */
export const httpUrl: Kind<string> = {
  placeholder: 'URL',
  expects: 'the URL of a server, as http://127.0.0.1:8123, without name and password',
  read(value) {
    if (!URL.canParse(value)) return undefined
    const { protocol, username, password } = new URL(value)
    return /^https?:$/.test(protocol) && username === '' && password === '' ? value : undefined
  },
}

/** A name in a database. */
export const identifier = (placeholder: string): Kind<string> => ({
  placeholder,
  expects: 'a name of letters, digits and _, that does not begin with a digit',
  read: (value) => (/^[A-Za-z_]\w{0,127}$/.test(value) ? value : undefined),
})

/** An integer from `least` to `most`. */
export const whole = (placeholder: string, least: number, most: number): Kind<number> => ({
  placeholder,
  expects: `an integer from ${least} to ${most}`,
  read(value) {
    const number = integer(value)
    return number !== undefined && number >= least && number <= most ? number : undefined
  },
})

const SWITCH_WORDS = new Map([
  ['1', true],
  ['true', true],
  ['0', false],
  ['false', false],
])

/** On where the flag stands, or the variable is 1 or true. */
export const onOff: Kind<boolean> = {
  placeholder: '',
  expects: 'one of 1, true, 0, false',
  read: (value) => SWITCH_WORDS.get(value),
}

const BYTES: Record<string, number> = { '': 1, K: KIB, M: MIB, G: GIB }

/** A number of bytes, at least 1, with K, M or G behind it for powers of 1024. */
export const bytes: Kind<number> = {
  placeholder: 'BYTES',
  expects: 'a number of bytes above 0, as 1073741824, 512M or 2G',
  read(value) {
    const match = /^(\d{1,15})([KMG]?)$/i.exec(value)
    const count = match ? Number(match[1]) * BYTES[match[2]!.toUpperCase()]! : 0
    return count > 0 && Number.isSafeInteger(count) ? count : undefined
  },
}

const SPANS_US: Record<string, number> = { s: SECOND_US, m: MINUTE_US, h: HOUR_US, d: DAY_US }

/** A length of time, read into microseconds. */
export const spanUs: Kind<number> = {
  placeholder: 'TIME',
  expects: 'a length of time above 0, as 90s, 30m, 12h or 7d',
  read(value) {
    const match = /^(\d{1,6})([smhd])$/.exec(value)
    return (match && Number(match[1]) * SPANS_US[match[2]!]!) || undefined
  },
}
