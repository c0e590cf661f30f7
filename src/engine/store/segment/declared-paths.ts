import { hotColumns } from '../../../common/columns.js'
import type { SourceName } from '../../../common/sources.js'

/**
 * Returns the paths of which a hot column of a source has the values of all rows, each as the JSON of its keys. `mask`
 * has a bit for each hot column with other values in the metadata (see src/common/columns.ts).
 */
export const declaredPaths = (source: SourceName, mask: number): string[] =>
  hotColumns(source).flatMap(({ path }, i) => ((mask & (1 << i)) === 0 ? [JSON.stringify(path)] : []))
