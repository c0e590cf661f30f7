/** The first and the second signal that ask the program to stop. */
export interface StopSignals {
  first: Promise<NodeJS.Signals>
  second: Promise<NodeJS.Signals>
}

/** SIGHUP too: a terminal that closes sends it, and rows that were read must not be lost by that. */
const STOPPING = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

/** Catches the signals from now on: none of them ends the process by itself any more. */
export function catchStopSignals(): StopSignals {
  const takers: ((signal: NodeJS.Signals) => void)[] = []
  const next = () => new Promise<NodeJS.Signals>((resolve) => takers.push(resolve))
  for (const signal of STOPPING) process.on(signal, (caught) => takers.shift()?.(caught))
  return { first: next(), second: next() }
}
