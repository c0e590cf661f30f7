/** Units that cross module borders. A number that leaves a function bears its unit in its name. */

/** Microseconds in a millisecond, second, minute, hour and UTC day. */
export const MILLISECOND_US = 1_000
export const SECOND_US = 1_000_000
export const MINUTE_US = 60 * SECOND_US
export const HOUR_US = 60 * MINUTE_US
export const DAY_US = 24 * HOUR_US

/** Bytes. */
export const KIB = 1024
export const MIB = 1024 * KIB
export const GIB = 1024 * MIB
