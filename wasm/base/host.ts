/** What the host does where the module does not know how: rare cases, so that their rules stand in one place. */

/** The ISO 8601 text [start, end) in microseconds since the epoch; NaN if it is none. */
// @ts-ignore: decorator
@external("host", "timestampOfText")
export declare function timestampOfText(start: usize, end: usize): f64

/** The JSON number [start, end), an epoch time, in microseconds. */
// @ts-ignore: decorator
@external("host", "timestampOfNumber")
export declare function timestampOfNumber(start: usize, end: usize): f64

/** The JSON number [start, end) as the nearest double; NaN if that is not finite. */
// @ts-ignore: decorator
@external("host", "doubleOf")
export declare function doubleOf(start: usize, end: usize): f64

/** Writes a new UUID, UUID_BYTES long. */
// @ts-ignore: decorator
@external("host", "putUuid")
export declare function putUuid(to: usize): void
