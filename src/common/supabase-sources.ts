import type { SourceName } from './sources.js'

/**
 * The sources besides the nine with names that services of Supabase and Studio use. With `--supabase` they are
 * configured by themselves: a page of Studio that reads one without rows shows nothing, and no error. A self-hosted
 * stack fills none of them until the user sends records there.
 */
export const SUPABASE_SOURCES: readonly SourceName[] = [
  'supavisor_logs',
  'auth_audit_logs',
  'multigres_logs',
  'etl_replication_logs',
  'pg_cron_logs',
  'pg_upgrade_logs',
  'database_version_upgrade_logs',
]
