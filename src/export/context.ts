import type { Clock } from '../base/clock.js'
import type { Log } from '../base/log.js'
import type { DeliveryTiming } from '../engine/clickhouse/delivery.js'
import type { Server } from '../engine/clickhouse/server.js'
import type { TableLocation } from '../engine/clickhouse/table-names.js'
import type { Files } from '../engine/disk/files/files.js'

/** Where an export tells how it goes. */
export interface ExportReport {
  print(text: string): unknown
  log: Log
  /** The output of a terminal, if there is one, for progress. */
  terminal?: { write(text: string): unknown } | undefined
}

export interface ExportContext extends ExportReport {
  files: Files
  /** The name of their directory, for messages. */
  directory: string
  server: Server
  location: TableLocation
  clock: Clock
  timing?: Partial<DeliveryTiming>
}
