/** The file of a data directory with the times that hold, and former ones. */
export const RETENTION_FILE = 'retention.json'
/** The file while it is written. */
export const NEW_RETENTION_FILE = `${RETENTION_FILE}.new`
/** The name that a damaged file gets. */
export const DAMAGED_RETENTION_FILE = `${RETENTION_FILE}.damaged`
