/** Something that happens once, which others wait for. */
export interface Latch {
  readonly opened: Promise<void>
  open(): void
}

export function latch(): Latch {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open: () => open() }
}
