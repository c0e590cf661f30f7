/** What holds up who waits for it until a test opens it. */
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
