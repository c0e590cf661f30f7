import { SOURCE_NAMES, type SourceName } from '../../src/common/sources.js'

/** The own source of tests of all sources. Functions of a single source know it by its name alone. */
export const OWN_SOURCE = 'own_logs'
/** The nine sources, and an own one. */
export const NINE_AND_OWN: readonly SourceName[] = [...SOURCE_NAMES, OWN_SOURCE]
