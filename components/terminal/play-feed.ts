import type { Terminal } from '@xterm/xterm'
import type { TerminalFeed } from '../jobs/detail/terminal-feed'

/**
 * Prints a feed in a terminal, piece by piece: the next piece follows when the terminal has processed the last one, so the
 * page stays responsive. If the feed has dropped text that was not printed, printing continues after it.
 * @param onLive called with true when the terminal has printed all earlier output, and with false when it starts again.
 *   Earlier output may ask the terminal for its state, and the program must not receive these answers as input.
 */
export function playFeed(
  terminal: Terminal,
  feed: TerminalFeed,
  onLive: (live: boolean) => void,
): () => void {
  let position = feed.start
  let { version } = feed
  // Text from before the terminal was opened is never live.
  let opened = feed.end
  let writing = false
  let live = false
  let stopped = false

  const setLive = (value: boolean) => {
    if (live === value) return
    live = value
    onLive(value)
  }
  const play = () => {
    if (writing || stopped) return
    if (version !== feed.version) {
      version = feed.version
      position = 0
      opened = 0
      terminal.reset()
      setLive(false)
    }
    position = Math.max(position, feed.start)
    if (feed.liveFrom !== null && position >= Math.max(feed.liveFrom, opened)) setLive(true)
    const piece = feed.read(position)
    if (piece === '') return
    const end = live ? piece.length : historyLength(piece.length)
    writing = true
    position += end
    terminal.write(piece.slice(0, end), () => {
      writing = false
      play()
    })
  }
  /** The length of the earlier output in a piece that has live output too. */
  const historyLength = (length: number) => {
    const border = Math.max(feed.liveFrom ?? feed.end, opened)
    return Math.min(length, border - position)
  }
  const unsubscribe = feed.subscribe(play)
  play()
  return () => {
    stopped = true
    unsubscribe()
  }
}
