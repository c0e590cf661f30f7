import { endpointsOf } from '../../../src/endpoints/index.js'
import { SQL_LIMITS } from '../../../src/sql/parse/limits.js'
import { readSql } from '../../../src/sql/read-sql.js'
import { readFrontMatter } from '../../../src/user-endpoints/front-matter.js'
import { viewEndpoint } from '../../../src/user-endpoints/view-endpoint.js'
import { openViews } from '../../../src/views/catalog/open-views.js'
import type { createFakeClock } from '../../support/clock.js'
import { openEngine } from '../../support/engine.js'
import { createModelFiles } from '../../support/model-files.js'

/** Opens an engine that keeps a view, `requests`, and the stored queries with SQL that can read the view. */
export async function openViewEngine(
  text: string,
  clock: ReturnType<typeof createFakeClock>,
  options: Parameters<typeof openEngine>[0] = {},
) {
  const files = createModelFiles()
  const views = await openViews({ files, clock, log() {} })
  const requests = viewEndpoint(text, 'requests', readFrontMatter(text))
  views.setCurrent([{ definition: requests.view, text }])
  const disk = { directory: 'data', files, release: async () => {} }
  const { readView, keeper } = views
  const engine = openEngine({ clock, disk, readView, keeper, ...options })
  await engine.recover()
  const work = await views.start(engine)
  const loadCompiler = async () => ({ readSql: (sql: string) => readSql(sql, SQL_LIMITS, views.readable) })
  return { engine, work, endpoints: [...endpointsOf({ loadCompiler }), requests] }
}
