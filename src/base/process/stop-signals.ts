/** The first and the second signal that ask the program to stop. */
export interface StopSignals {
  first: Promise<NodeJS.Signals>
  second: Promise<NodeJS.Signals>
}

/** SIGHUP too: a terminal that closes sends SIGHUP, and rows that were already read must not be lost. */
const STOPPING = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

/** Installs handlers for the stop signals. From now on no stop signal ends the process by itself. */
export function catchStopSignals(): StopSignals {
  const resolvers: ((signal: NodeJS.Signals) => void)[] = []
  const next = () => new Promise<NodeJS.Signals>((resolve) => resolvers.push(resolve))
  for (const signal of STOPPING) process.on(signal, (caught) => resolvers.shift()?.(caught))
  return { first: next(), second: next() }
}
