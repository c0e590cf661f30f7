/**
 * The suites that list the sources which the process knows, with an own source besides the nine. The own source is
 * configured before the suites are loaded.
 */
import './support/know-own-source.js'

await import('./endpoints/counted-fields.test.js')
await import('./endpoints/explore-params.test.js')
await import('./endpoints/filter.test.js')
await import('./endpoints/logs-fields.test.js')
await import('./engine/store/follow/follow-filtered.test.js')
await import('./http/answers.test.js')
await import('./http/projects.test.js')
await import('./http/sql/isolation.test.js')
await import('./http/tail/filtered-once.test.js')
await import('./http/tail/rows.test.js')
