import { createSerialQueue } from '../base/scheduling/serial-queue.js'
import type { ServeConfig } from '../config/serve-config.js'
import type { DataDirectory } from '../engine/disk/directory/open.js'
import type { App } from '../http/app.js'
import { tokensFilePath } from '../tokens/tokens-file.js'
import type { Alerts } from './alerts.js'
import { createServiceDeletions, type ServiceDeletions } from './deletions.js'
import type { Intake } from './intake.js'
import type { OpenedComponents, Shared } from './open-components.js'

/** Creates the deletions. Undefined if the engine cannot delete rows. */
export function openDeletions(
  { dataDir, tokensFile }: ServeConfig,
  { engine, disk, views, alerts }: OpenedComponents,
  { rejects, forgetRows }: Pick<Intake, 'rejects'> & Pick<App, 'forgetRows'>,
  shared: Shared,
): ServiceDeletions | undefined {
  const { deleting, run } = engine
  if (deleting === undefined) return undefined
  const tokensPath = tokensFile ?? (dataDir === undefined ? undefined : tokensFilePath(dataDir))
  const forgetAlerts = alerts?.forgetProject ?? storedAlertsForgetter(disk, shared)
  const places = async () => {
    const { placesOf } = await import('./deletion-places.js')
    return placesOf({ views, forgetRows, rejects, forgetAlerts, tokensPath, log: shared.log })
  }
  return createServiceDeletions({ ...shared, engine: { run, deleting }, files: disk?.files, places })
}

/** Returns the function that forgets the alerts that an earlier process with rules has left. */
function storedAlertsForgetter(disk: DataDirectory | undefined, { log }: Shared): Alerts['forgetProject'] {
  const queue = createSerialQueue()
  return (project) =>
    queue.run(async () => {
      if (disk === undefined) return
      // Loaded only then: the parts take memory.
      const { forgetStoredAlerts } = await import('./alerts.js')
      await forgetStoredAlerts(disk, project, log)
    })
}
