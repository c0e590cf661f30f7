/** A promise that a test resolves. Code that awaits the promise waits until then. */
export interface Gate {
  opened: Promise<void>
  open(): void
}

export function createGate(): Gate {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open }
}
