import { acceptSources } from '../../src/common/sources.js'
import { OWN_SOURCE } from './own-source.js'

/**
 * Makes the own source of tests a configured one. To be loaded before the files that list the sources, by processes
 * whose tests all have the own source.
 */
acceptSources([OWN_SOURCE])
