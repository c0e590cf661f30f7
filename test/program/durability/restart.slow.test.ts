import { it } from 'vitest'
import { killStarts } from '../support/restart.js'

it('X3: a start that is killed 20 times at random moments is complete the 21st time', () => killStarts(20))
