import { type ITheme, Terminal } from '@xterm/xterm'
import { copyText } from '@/components/ui/copy-text'
import { keyOf } from '../shell/shortcuts/shortcut-keys'
import { terminalShortcuts } from '../shell/shortcuts/shortcut-table'

/** After Escape, Tab leaves the terminal for this long, as in the code editors. */
const leaveWithinMs = 2000
const fontSize = 13

/** Loads the font and creates the terminal: it measures its cells only once. */
export async function createTerminal(host: HTMLElement): Promise<Terminal> {
  const { fontFamily } = getComputedStyle(host)
  // Without the font, the terminal uses the next one of the page.
  await document.fonts.load(`${fontSize}px ${fontFamily}`).catch(() => undefined)
  const terminal = new Terminal({
    fontFamily,
    fontSize,
    theme: readTheme(host),
    // The colours of a program must be readable on the page.
    minimumContrastRatio: 4.5,
    scrollback: 10_000,
    screenReaderMode: true,
    disableStdin: true,
  })
  restrict(terminal)
  terminal.attachCustomKeyEventHandler(createKeyHandler(terminal))
  return terminal
}

/**
 * A program may print what another person wrote. So it must not offer links whose address the text hides (OSC 8; the text
 * itself is shown), nor reach the clipboard (OSC 52). xterm.js reports neither titles nor window sizes by default.
 */
function restrict(terminal: Terminal): void {
  for (const code of [8, 52]) terminal.parser.registerOscHandler(code, () => true)
}

/** The page's current colours. */
export function readTheme(element: Element): ITheme {
  const style = getComputedStyle(element)
  const read = (name: string) => style.getPropertyValue(`--${name}`).trim()
  return {
    background: read('surface'),
    foreground: read('ink'),
    cursor: read('ink'),
    cursorAccent: read('surface'),
    selectionBackground: read('selection'),
    black: read('ansi-black'),
    red: read('ansi-red'),
    green: read('ansi-green'),
    yellow: read('ansi-yellow'),
    blue: read('ansi-blue'),
    magenta: read('ansi-magenta'),
    cyan: read('ansi-cyan'),
    white: read('ansi-white'),
    brightBlack: read('ansi-bright-black'),
    brightRed: read('ansi-bright-red'),
    brightGreen: read('ansi-bright-green'),
    brightYellow: read('ansi-bright-yellow'),
    brightBlue: read('ansi-bright-blue'),
    brightMagenta: read('ansi-bright-magenta'),
    brightCyan: read('ansi-bright-cyan'),
    brightWhite: read('ansi-bright-white'),
  }
}

/** Decides which keys the terminal handles; it returns false for keys of the browser. */
function createKeyHandler(terminal: Terminal): (event: KeyboardEvent) => boolean {
  let leaveUntil = 0
  return (event) => {
    if (event.type !== 'keydown') return true
    if (event.key === 'Tab' && !event.ctrlKey && !event.altKey && !event.metaKey) {
      const leaves = event.timeStamp < leaveUntil || terminal.options.disableStdin === true
      if (leaves) return false
    }
    // Shift alone does not end the wait: Shift+Tab leaves backwards.
    if (event.key !== 'Shift') leaveUntil = event.key === 'Escape' ? event.timeStamp + leaveWithinMs : 0
    // With Caps Lock, Ctrl+C has a capital letter too.
    if (event.shiftKey && keyOf(event) === terminalShortcuts.copy.keys[0]) {
      event.preventDefault()
      void copyText(terminal.getSelection()).catch(() => undefined)
      return false
    }
    return true
  }
}
