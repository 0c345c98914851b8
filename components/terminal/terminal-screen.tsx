import '@xterm/xterm/css/xterm.css'
import { FitAddon } from '@xterm/addon-fit'
import type { Terminal } from '@xterm/xterm'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { api } from '@/components/queries/queries'
import { toastError } from '@/components/ui/toaster'
import { KeySender } from '@/lib/http/client/key-sender'
import type { TerminalFeed } from '../jobs/detail/terminal-feed'
import { connectInput } from './connect-input'
import { createTerminal, readTheme } from './create-terminal'
import { playFeed } from './play-feed'

interface TerminalScreenProps {
  jobId: string
  rank: number
  attempt: number
  feed: TerminalFeed
  /** Keys and the size go to the program. */
  canType: boolean
  /** The id of the text that explains how to leave the terminal. */
  describedBy: string
}

/** A terminal that shows a job's output and sends keys to the job. Needs a browser: it measures its font. */
export function TerminalScreen({ feed, describedBy, ...connection }: TerminalScreenProps) {
  const host = useRef<HTMLDivElement>(null)
  const terminal = useTerminal(host, describedBy)
  const [live, setLive] = useState(false)
  useEffect(() => (terminal ? playFeed(terminal, feed, setLive) : undefined), [terminal, feed])
  useInput(terminal, host, { ...connection, live })
  return <div ref={host} className="min-h-0 min-w-0 flex-1 overflow-hidden font-mono" />
}

/** A terminal as large as its element, in the colours of the page. Null until it is loaded. */
function useTerminal(host: RefObject<HTMLElement | null>, describedBy: string): Terminal | null {
  const [terminal, setTerminal] = useState<Terminal | null>(null)
  useEffect(() => {
    const element = host.current
    if (!element) return
    let close: (() => void) | null = null
    let closed = false
    void createTerminal(element).then((own) => {
      if (closed) return own.dispose()
      close = openTerminal(own, element, describedBy)
      setTerminal(own)
    })
    return () => {
      closed = true
      close?.()
      setTerminal(null)
    }
  }, [host, describedBy])
  return terminal
}

function openTerminal(terminal: Terminal, host: HTMLElement, describedBy: string): () => void {
  const fit = new FitAddon()
  terminal.loadAddon(fit)
  terminal.open(host)
  terminal.textarea?.setAttribute('aria-label', 'Terminal of the job')
  terminal.textarea?.setAttribute('aria-describedby', describedBy)
  fit.fit()
  const size = new ResizeObserver(() => fit.fit())
  size.observe(host)
  const theme = new MutationObserver(() => {
    terminal.options.theme = readTheme(host)
  })
  theme.observe(document.documentElement, { attributeFilter: ['class'] })
  return () => {
    size.disconnect()
    theme.disconnect()
    terminal.dispose()
  }
}

type Connection = Omit<TerminalScreenProps, 'feed' | 'describedBy'> & { live: boolean }

/** Sends keys and sizes while the program runs. Each attempt of the job has a new terminal, which needs the size. */
function useInput(
  terminal: Terminal | null,
  host: RefObject<HTMLElement | null>,
  { jobId, rank, attempt, canType, live }: Connection,
): void {
  useEffect(() => {
    if (terminal) terminal.options.disableStdin = !canType || !live
  }, [terminal, canType, live])
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new attempt has a new terminal
  useEffect(() => {
    if (!terminal || !host.current || !canType) return
    const sender = new KeySender({
      client: api,
      jobId,
      rank,
      sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
      onLost: (error) => toastError('The last keys did not reach the program', error, 'keys-lost'),
    })
    return connectInput(terminal, host.current, {
      send: (bytes) => sender.send(bytes),
      resize: (size) => api.jobs.resize(jobId, size, { rank }),
    })
  }, [terminal, host, jobId, rank, attempt, canType])
}
