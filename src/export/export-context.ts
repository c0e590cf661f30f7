import type { Log } from '../base/log.js'
import type { Clock } from '../base/time/clock.js'
import type { DeliveryTiming } from '../engine/clickhouse/delivery/delivery.js'
import type { TableLocation } from '../engine/clickhouse/schema/table-names.js'
import type { Server } from '../engine/clickhouse/server/clickhouse-server.js'
import type { RowLimits } from '../engine/deletion.js'
import type { Files } from '../engine/disk/files/files.js'

/** Where an export writes result, log and progress. */
export interface ExportReport {
  print(text: string): unknown
  log: Log
  /** The terminal for progress, if the output is a terminal. */
  terminal?: { write(text: string): unknown } | undefined
}

/** The directory that an export reads, and the server that receives the rows. */
export interface ExportContext extends ExportReport {
  files: Files
  /** The name of the data directory, for messages. */
  directory: string
  server: Server
  location: TableLocation
  clock: Clock
  /** The limits that the last service of the directory had. Undefined if there are none. */
  limits?: Pick<RowLimits, 'newestHiddenUs' | 'hiddenThroughUs'> | undefined
  /** Replaces parts of the default timing, in tests. */
  timing?: Partial<DeliveryTiming>
}
