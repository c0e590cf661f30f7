import { beforeAll, describe, expect, it } from 'vitest'
import { mulberry32 } from '../../support/random.js'
import { testSeed } from '../../support/seed.js'
import { openLogsPage } from '../../support/supabase/studio-page.js'
import { createStudioServer } from '../../support/supabase/studio-server.js'
import type { TableName } from '../../support/supabase/studio-tables.js'
import { type SinkEvent, vectorEvents } from '../../support/supabase/vector-events.js'
import { serve } from '../support/program.js'
import { shipToSinks } from '../support/vector-sinks.js'

const seed = testSeed()
const COUNT = 1_500
const STEP_MS = 1_700
const END_MS = Math.floor(Date.now() / 1000) * 1000
const FROM_MS = END_MS - COUNT * STEP_MS
