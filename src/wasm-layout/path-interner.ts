/** Layout of the distinct values of many paths, and the limits of a path with a column. */

/** Bytes of an entry: hash, address and length of the bytes, path, and code among the codes of the path. */
export const ENTRY_BYTES = 20
/** Places in an entry, in bytes. */
export const ENTRY_HASH = 0
export const ENTRY_START = 4
export const ENTRY_LENGTH = 8
export const ENTRY_PATH = 12
export const ENTRY_CODE = 16

/** Bytes of the state of a path: the number of its entries, and its flags. */
export const PATH_BYTES = 8
/** Places in the state of a path, in bytes. */
export const PATH_COUNT = 0
export const PATH_FLAGS = 4

/** Flag: the numbers of elements are wanted, not the values. */
export const IS_COUNT = 1
/** Flag: a value is no integer of two bytes. */
export const HAS_OTHERS = 2
/** Flag: the values can have no column: they are too many, or one is too long. */
export const IS_UNFIT = 4

/** The longest value, in bytes. */
export const MAX_VALUE_BYTES = 1024
/** The most distinct values of a path, unless all are integers of two bytes. */
export const MAX_VALUES = 512
/** The most distinct integers of a path, so that a code has two bytes, with some codes to spare. */
export const MAX_INTEGERS = 65533
/** The greatest integer of two bytes. */
export const MAX_INTEGER = 65535

/** Numbers of elements as codes: a single element, or another number of elements. Code 0 is none. */
export const ONE_ELEMENT = 1
export const OTHER_ELEMENTS = 2
