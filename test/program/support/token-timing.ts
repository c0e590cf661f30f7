import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { mulberry32, type Random } from '../../support/random.js'
import { testSeed } from '../../support/seed.js'
import { inTries } from '../../support/tries.js'
import { LEAK_T, shuffled, worstT } from '../../support/welch.js'
import { wrongToken } from '../../support/wrong-token.js'
import { type Served, serve } from './program.js'

const TOKEN = 'a-token-of-thirty-two-characters'
const RIGHT = [0, 16, 31]
const TRIES = 3

/** Further wrong tokens of an address would be delayed. */
const ROUNDS_AN_ADDRESS = 6

/** Opens connections of which each comes from another address of the loopback network. */
function dialerFromMany({ url }: Served): () => Socket {
  let last = 0
  return () => {
    last += 1
    const localAddress = `127.${1 + (last >> 16)}.${(last >> 8) & 255}.${last & 255}`
    const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', localAddress, noDelay: true })
    socket.on('error', () => {})
    onTestFinished(() => void socket.destroy())
    return socket
  }
}

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

async function sample(dial: () => Socket, samples: number, random: Random): Promise<number[][]> {
  const groups = RIGHT.map((): number[] => [])
  let socket = dial()
  for (let round = 0; round < samples; round++) {
    if (round % ROUNDS_AN_ADDRESS === 0) {
      socket.destroy()
      socket = dial()
      await once(socket, 'connect')
    }
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
  const dial = dialerFromMany(service)
  return inTries(
    TRIES,
    async () => worstT(await sample(dial, samples, random)),
    (t) => t < LEAK_T,
  )
}
