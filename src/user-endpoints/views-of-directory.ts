import { basename, join } from 'node:path'
import { usageError } from '../base/failures.js'
import { readableViews } from '../views/definition/registry.js'
import { readFileVersions } from './directory.js'
import { describeFailure } from './failure.js'
import { readFrontMatter } from './front-matter.js'
import type { ReadableViews } from './sql-endpoint.js'
import { isSqlFile, isViewFile, readSqlFile } from './sql-file.js'

/**
 * Returns the views of a directory of endpoints, without its other endpoints. Throws `usage` if a view cannot be used,
 * `failed` if the directory cannot be read.
 */
export async function viewsOfDirectory(directory: string): Promise<ReadableViews> {
  const { viewEndpoint } = await import('./view-endpoint.js')
  const paths = [...readFileVersions(directory).keys()].filter(isSqlFile).map((name) => join(directory, name))
  const views = []
  for (const path of paths) {
    if (!(await isViewFile(path))) continue
    try {
      const text = await readSqlFile(path)
      views.push(viewEndpoint(text, basename(path, '.sql'), readFrontMatter(text)).view)
    } catch (error) {
      throw usageError(`${path}: ${await describeFailure(error, path)}`)
    }
  }
  return readableViews(views)
}
