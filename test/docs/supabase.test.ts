import { describe, expect, it } from 'vitest'
import { SERVE_SETTINGS } from '../../src/config/serve-settings.js'
import { STUDIO_QUERIES } from '../../src/supabase/endpoints.js'
import { textOf } from '../deploy/files.js'
import { documentAt, tablesOf, wordsIn } from './documents.js'

const page = documentAt('docs/supabase.md')!
const rowsUnder = (head: string) => tablesOf(page).find(({ heads }) => heads[0] === head)!.rows

describe('docs/supabase.md', () => {
  it.each([
    'logweir',
    'logweir-older',
  ])('lists the variables that docker-compose.%s.yml reads, and their defaults', (name) => {
    const text = textOf(`deploy/supabase/docker-compose.${name}.yml`)
    const read = [...text.matchAll(/\$\{(LOGWEIR_\w+):-(.*)\}/g)].map(([, variable, value]) => [variable, value])
    const inherited: Record<string, string> = { LOGWEIR_RETENTION_DAYS: SERVE_SETTINGS.retentionDays.default }
    const listed = rowsUnder('variable').map(([variable, value]) => [wordsIn(variable!)[0]!, wordsIn(value!)[0]])
    expect(listed.length).toBe(5)
    expect(Object.fromEntries(listed)).toEqual(
      Object.fromEntries(read.map(([variable, value]) => [variable, value || inherited[variable!]])),
    )
  })

  it('tells for each query of Studio which page asks for it', () => {
    const asked = rowsUnder('page of Studio').flatMap(([, queries]) => wordsIn(queries!))
    const named = asked.filter((name) => !name.startsWith('/'))
    expect(named.sort()).toEqual([...STUDIO_QUERIES, 'usage.api-counts'].sort())
  })
})
