import { it } from 'vitest'
import { killStarts } from '../support/restart.js'

it('X3: a start that is killed 4 times at random moments is complete the 5th time', () => killStarts(4))
