import type { Terminal } from '@xterm/xterm'
import type { TerminalSize } from '@/lib/terminal/contract'

/** Long enough that the program receives both sizes, and short enough that nobody reads the first redraw. */
const redrawMs = 150

interface InputTarget {
  /** Sends bytes to the program. */
  send: (bytes: Uint8Array) => void
  resize: (size: TerminalSize) => Promise<void>
}

/** Sends what the user types and pastes, and the size of the terminal. Returns the function that stops it. */
export function connectInput(
  terminal: Terminal,
  host: HTMLElement,
  { send, resize }: InputTarget,
): () => void {
  const sendSize = keepLatest(resize)
  const showSize = () => sendSize(sizeOf(terminal))
  // Full-screen programs redraw when the size changes. Changes it for a moment, as `gpuq attach` does: a program that has
  // this size already would not notice.
  const { columns, rows } = sizeOf(terminal)
  sendSize({ columns, rows: rows > 1 ? rows - 1 : 2 })
  const redraw = setTimeout(showSize, redrawMs)
  const paste = (event: ClipboardEvent) => {
    // The terminal must not paste it as well.
    event.preventDefault()
    event.stopPropagation()
    terminal.paste(withoutControls(event.clipboardData?.getData('text/plain') ?? ''))
  }
  // xterm.js ignores text without a key (an emoji panel, dictation) while it supports screen readers.
  let keyIsDown = false
  const followKeys = ({ type }: Event) => {
    keyIsDown = type === 'keydown'
  }
  const insert = (event: Event) => {
    if (!(event instanceof InputEvent) || event.inputType !== 'insertText' || keyIsDown) return
    if (event.data !== null && !event.isComposing) terminal.input(event.data)
  }
  const subscriptions = [
    terminal.onData((text) => send(new TextEncoder().encode(text))),
    terminal.onBinary((bytes) => send(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)))),
    terminal.onResize(showSize),
  ]
  const listening = new AbortController()
  const early = { capture: true, signal: listening.signal }
  host.addEventListener('paste', paste, early)
  host.addEventListener('keydown', followKeys, early)
  host.addEventListener('keyup', followKeys, early)
  host.addEventListener('input', insert, early)
  // Another window may have set its own size meanwhile.
  host.addEventListener('focusin', showSize, early)
  return () => {
    clearTimeout(redraw)
    for (const subscription of subscriptions) subscription.dispose()
    listening.abort()
  }
}

function sizeOf({ cols, rows }: Terminal): TerminalSize {
  return { columns: cols, rows }
}

/**
 * Sends one value at a time, and skips values that are outdated before they are sent. Ignores failures: the next change or
 * focus sends the size again.
 */
function keepLatest<Value>(send: (value: Value) => Promise<void>): (value: Value) => void {
  let latest: { value: Value } | null = null
  let sending = false
  const run = async () => {
    sending = true
    while (latest) {
      const { value } = latest
      latest = null
      await send(value).catch(() => undefined)
    }
    sending = false
  }
  return (value) => {
    latest = { value }
    if (!sending) void run()
  }
}

/**
 * Removes control characters except tab and line ends. A copied text may contain hidden keys: the end of a bracketed paste,
 * and then a command.
 */
export function withoutControls(text: string): string {
  return text.replace(/(?![\t\n\r])\p{Cc}/gu, '')
}
