'use client'

import { type MouseEvent, memo, useMemo } from 'react'
import { cn } from '@/components/ui/class-names'
import { formatCount } from '@/components/ui/format-number'
import { toCss } from './ansi/ansi-colours'
import { parseLine } from './ansi/ansi-parse'
import type { AnsiStyle } from './ansi/ansi-style'
import type { LineKind } from './line'
import { clip, cutAtMatches, type Piece } from './search/highlight'
import { findMatches } from './search/output-search'

/** A line longer than this is shown in part: browsers take seconds to lay out a line of a million characters. */
export const shownCharacters = 4000

export interface OutputLineProps {
  number: number
  text: string
  kind: LineKind
  rank: number | null
  at: number
  start: AnsiStyle
  cut: number
  wrap: boolean
  times: boolean
  chosen: boolean
  /** All of the line is wanted, however long. */
  expanded: boolean
  pattern: RegExp | null
  /** Which match of this line is the current one of the search. */
  currentMatch: number | null
  onChoose: (line: number, extend: boolean) => void
  onExpand: (line: number) => void
}

const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' })

/** One line of output: its number, when asked its time, and its text as text, never as anything else. */
export const OutputLineRow = memo(function OutputLineRow(props: OutputLineProps) {
  const { number, kind, rank, at, wrap, times, chosen, expanded } = props
  const choose = (event: MouseEvent) => {
    event.preventDefault()
    props.onChoose(number, event.shiftKey)
  }
  const ground = chosen ? 'bg-accent-soft' : 'bg-surface'
  return (
    <div className={cn('group/line flex min-w-full', wrap || expanded ? 'w-full' : 'w-max', ground)}>
      <a
        href={`#L${number + 1}`}
        tabIndex={-1}
        aria-label={`Line ${number + 1}`}
        onClick={choose}
        className={cn(
          'sticky left-0 z-1 flex shrink-0 select-none justify-end gap-2 border-l-2 pr-3 pl-2 text-subtle tabular-nums',
          'hover:text-ink hover:underline',
          kind === 'stderr' ? 'border-danger-ink' : 'border-transparent',
          ground,
        )}
      >
        <span className="w-[3ch] text-danger-ink">{kind === 'stderr' ? 'err' : ''}</span>
        <span className="w-(--number-width) text-right">{number + 1}</span>
      </a>
      {rank === null ? null : (
        <span className="w-[9ch] shrink-0 select-none pr-[1ch] text-subtle tabular-nums">rank {rank}</span>
      )}
      {times ? (
        <time
          className="shrink-0 select-none pr-3 text-subtle tabular-nums"
          dateTime={new Date(at).toISOString()}
        >
          {clock.format(at)}.{String(at % 1000).padStart(3, '0')}
        </time>
      ) : null}
      <LineText {...props} />
    </div>
  )
})

function LineText(props: OutputLineProps) {
  const { number, text, kind, start, cut, wrap, expanded, pattern, currentMatch, onExpand } = props
  const { pieces, hidden } = useMemo(
    () => layOut(text, start, pattern, expanded),
    [text, start, pattern, expanded],
  )
  if (kind === 'notice') return <p className="py-0.5 pr-4 font-sans text-warning-ink">{text}</p>
  return (
    // Isolated, so that a line written from right to left cannot move the number beside it.
    <div
      dir="ltr"
      className={cn(
        'min-w-0 flex-1 pr-4 [tab-size:8] [unicode-bidi:isolate]',
        wrap || expanded ? 'whitespace-pre-wrap [overflow-wrap:anywhere]' : 'whitespace-pre',
      )}
    >
      {pieces.length === 0
        ? '\u200B'
        : pieces.map((piece) => <Run key={piece.offset} piece={piece} currentMatch={currentMatch} />)}
      {hidden > 0 ? (
        <button
          type="button"
          onClick={() => onExpand(number)}
          className="ml-2 min-h-6 select-none rounded-sm border bg-sunken px-1.5 font-sans text-accent-ink text-xs hover:bg-hover"
        >
          Show all ({formatCount(hidden)} more characters)
        </button>
      ) : null}
      {cut > 0 && hidden === 0 ? (
        <span className="ml-2 select-none font-sans text-subtle text-xs">
          {formatCount(cut)} more characters are in the download
        </span>
      ) : null}
    </div>
  )
}

interface PlacedPiece extends Piece {
  offset: number
}

function layOut(text: string, start: AnsiStyle, pattern: RegExp | null, expanded: boolean) {
  const { segments } = parseLine(text, start)
  const length = segments.reduce((sum, segment) => sum + segment.text.length, 0)
  const hidden = expanded ? 0 : Math.max(0, length - shownCharacters)
  const shown = hidden > 0 ? clip(segments, shownCharacters) : segments
  const ranges = pattern ? findMatches(shown.map((segment) => segment.text).join(''), pattern) : []
  const pieces: PlacedPiece[] = []
  let offset = 0
  for (const piece of cutAtMatches(shown, ranges)) {
    pieces.push({ ...piece, offset })
    offset += piece.text.length
  }
  return { pieces, hidden }
}

function Run({ piece, currentMatch }: { piece: PlacedPiece; currentMatch: number | null }) {
  const style = toCss(piece.style)
  if (piece.match !== undefined) {
    const { color: _, background: __, ...rest } = style
    const current = piece.match === currentMatch
    return (
      <mark
        data-current-match={current || undefined}
        className={cn('scroll-mx-40 text-ink', current ? 'bg-match-current' : 'bg-match')}
        style={rest}
      >
        {piece.text}
      </mark>
    )
  }
  if (piece.control) {
    return <span className="rounded-sm bg-warning-soft text-2xs text-warning-ink">{piece.text}</span>
  }
  return Object.keys(style).length === 0 ? piece.text : <span style={style}>{piece.text}</span>
}
