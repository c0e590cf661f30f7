// Units shared by all modules. A number that leaves a function has the unit in the name.

/** Microseconds per millisecond. */
export const MILLISECOND_US = 1_000
/** Microseconds per second. */
export const SECOND_US = 1_000_000
/** Microseconds per minute. */
export const MINUTE_US = 60 * SECOND_US
/** Microseconds per hour. */
export const HOUR_US = 60 * MINUTE_US
/** Microseconds per UTC day. Leap seconds do not exist here. */
export const DAY_US = 24 * HOUR_US

/** Bytes per KiB. */
export const KIB = 1024
/** Bytes per MiB. */
export const MIB = 1024 * KIB
/** Bytes per GiB. */
export const GIB = 1024 * MIB
