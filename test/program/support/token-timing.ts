import type { Socket } from 'node:net'
import { mulberry32, type Random } from '../../support/random.js'
import { testSeed } from '../../support/seed.js'
import { inTries } from '../../support/tries.js'
import { LEAK_T, shuffled, worstT } from '../../support/welch.js'
import { wrongToken } from '../../support/wrong-token.js'
import { serve } from './program.js'
import { dialer } from './raw.js'

const TOKEN = 'a-token-of-thirty-two-characters'
const RIGHT = [0, 16, 31]
const TRIES = 3

const requestWith = (token: string) => `GET /metrics HTTP/1.1\r\nHost: a\r\nX-API-KEY: ${token}\r\n\r\n`

/** Sends a request on a kept-alive connection, and returns the complete response. */
function ask(socket: Socket, request: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let heard = ''
    const take = (chunk: Buffer) => {
      heard += chunk
      if (!heard.endsWith('}')) return
      socket.off('data', take)
      socket.off('close', reject)
      resolve(heard)
    }
    socket.on('data', take)
    socket.once('close', reject)
    socket.write(request)
  })
}

async function sample(socket: Socket, samples: number, random: Random): Promise<number[][]> {
  const groups = RIGHT.map((): number[] => [])
  for (let round = 0; round < samples; round++) {
    for (const group of shuffled(random, RIGHT.length)) {
      const request = requestWith(wrongToken(TOKEN, RIGHT[group]!, random))
      const startMs = performance.now()
      const answer = await ask(socket, request)
      groups[group]!.push(performance.now() - startMs)
      if (!answer.startsWith('HTTP/1.1 401 ')) throw new Error(`a wrong token was answered: ${answer}`)
    }
  }
  return groups
}

/**
 * Sends wrong tokens with 0, 16 and 31 right characters. Returns the t of the first try that shows no leak, else of
 * the last.
 */
export async function leastTokenT(samples: number): Promise<number> {
  const seed = testSeed()
  console.log(`S2 seed ${seed}`)
  const random = mulberry32(seed)
  const service = await serve([], { environment: { LOGWEIR_ACCESS_TOKENS: TOKEN }, stdin: 'ignore' })
  const socket = dialer(service)().setNoDelay(true)
  return inTries(
    TRIES,
    async () => worstT(await sample(socket, samples, random)),
    (t) => t < LEAK_T,
  )
}
