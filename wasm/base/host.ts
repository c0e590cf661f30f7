/**
 * Functions of the host, called for rare forms of values so that their rules are implemented once, in src/ingest/wasm.
 */

/** Returns the ISO 8601 text [start, end) in microseconds since the epoch, NaN if it is not valid. */
// @ts-ignore: decorator
@external("host", "timestampOfText")
export declare function timestampOfText(start: usize, end: usize): f64

/** Returns the JSON number [start, end), an epoch time, in microseconds. */
// @ts-ignore: decorator
@external("host", "timestampOfNumber")
export declare function timestampOfNumber(start: usize, end: usize): f64

/** Returns the JSON number [start, end) as the nearest double, NaN if that is not finite. */
// @ts-ignore: decorator
@external("host", "doubleOf")
export declare function doubleOf(start: usize, end: usize): f64

/**
 * Returns the time of the newest record that is past the limit of its project, [start, end), in the source of a batch
 * builder. If `start` is 0, of records without a project.
 */
// @ts-ignore: decorator
@external("host", "hiddenThrough")
export declare function hiddenThrough(builder: i32, start: usize, end: usize): f64

/** Returns how many rows an unnest makes of the list [start, end): 0, 1, or 2 for any other number. */
// @ts-ignore: decorator
@external("host", "elementCount")
export declare function elementCount(start: usize, end: usize): u32

/** Writes a new UUID of UUID_BYTES characters. */
// @ts-ignore: decorator
@external("host", "putUuid")
export declare function putUuid(to: usize): void
