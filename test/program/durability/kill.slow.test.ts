import { it } from 'vitest'
import { expectAllKeptOver } from '../support/kills.js'

const TITLE =
  'D1: a process that is killed while rows stream in keeps every row that a query has shown, none twice, 50 times of 50'

it(TITLE, () => expectAllKeptOver(50))
