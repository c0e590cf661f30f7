import { it } from 'vitest'
import { expectAllKeptInStack } from '../support/killed-stack.js'

it(
  'events of a stack are kept while the service is killed 4 times, none more often than sent',
  () => expectAllKeptInStack(4),
  120_000,
)
