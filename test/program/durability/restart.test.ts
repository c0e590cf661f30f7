import { it } from 'vitest'
import { killStarts } from '../support/restart.js'

it('X3: a start that is killed 6 times at random moments is complete the 7th time', () => killStarts(6))
