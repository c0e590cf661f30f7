import { MIB } from '../base/units.js'
import { type RowsOut, writeTable } from '../client/output.js'
import { connectService, ServiceError, textUpTo } from '../client/service.js'
import type { Row } from '../client/table/table.js'
import { type ListedView, VIEWS_PATH } from '../common/views-list.js'
import { openToRead } from '../engine/disk/directory/open-to-read.js'
import { listStored } from '../views/catalog/stored-views.js'
import type { ViewsConfig } from './views-config.js'

const MAX_LIST_BYTES = 16 * MIB

/**
 * Writes the views of a service, or of the data directory of a stopped one. Rejects with a {@link ServiceError}, the
 * errors of {@link openToRead} and EPIPE.
 */
export async function runViews(config: ViewsConfig, out: RowsOut): Promise<void> {
  const views = config.isStopped ? await viewsIn(config.dataDir) : await viewsOf(config)
  if (config.isJson) return out.write(views.map((view) => `${JSON.stringify(view)}\n`).join(''))
  await writeTable(views.map(cellsOf), {}, out)
}

async function viewsIn(directory: string): Promise<readonly ListedView[]> {
  const { files } = await openToRead(directory)
  return listStored(files)
}

async function viewsOf(config: ViewsConfig): Promise<readonly ListedView[]> {
  const service = connectService(config)
  const text = await textUpTo((await service.get(VIEWS_PATH.slice(1), {})).body, MAX_LIST_BYTES)
  try {
    return (JSON.parse(text) as { result: ListedView[] }).result
  } catch {
    throw new ServiceError(`${service.url} lists no views. Is a logweir service there?`)
  }
}

const cellsOf = ({ name, rows, bytes, first, last, is_current, progress }: ListedView): Row => ({
  view: name,
  rows,
  bytes,
  first,
  last,
  grouped: is_current ? progress && `${Math.floor(progress * 100)} %` : 'no more',
})
