import { type MouseEvent, memo, useMemo } from 'react'
import { cn } from '@/components/ui/class-names'
import { formatNumber } from '@/components/ui/format-number'
import type { AnsiStyle } from '@/lib/contract/output/screen/ansi-style'
import { toCss } from './ansi/ansi-colours'
import { parseLine } from './ansi/ansi-parse'
import type { OutputLine } from './line'
import { clip, cutAtMatches, type Piece } from './search/highlight'
import { findMatches } from './search/output-search'

/** The maximum for long lines: browsers need seconds to lay out a line of a million characters. */
export const shownCharacters = 4000

interface OutputLineProps extends OutputLine {
  /** The number is known. */
  numbered: boolean
  wrap: boolean
  times: boolean
  selected: boolean
  /** Show the whole line. */
  expanded: boolean
  pattern: RegExp | null
  /** Where the whole output can be downloaded; null until it is stored. */
  downloadHref: string | null
  /** The index of the current search match in this line. */
  currentMatch: number | null
  onSelect: (line: number, extend: boolean) => void
  onExpand: (line: number) => void
}

/** One line of output with its number and optional time. The text is never interpreted as HTML. */
export const OutputLineRow = memo(function OutputLineRow(props: OutputLineProps) {
  const { number, numbered, kind, rank, at, wrap, times, selected, expanded } = props
  const select = (event: MouseEvent) => {
    event.preventDefault()
    props.onSelect(number, event.shiftKey)
  }
  const background = selected ? 'bg-accent-soft' : 'bg-surface'
  const gutter = cn(
    'sticky left-0 z-1 flex shrink-0 select-none justify-end gap-2 border-l-2 pr-3 pl-2 text-subtle tabular-nums',
    kind === 'stderr' ? 'border-danger-ink' : 'border-transparent',
    background,
  )
  const stream = <span className="w-[3ch] text-danger-ink">{kind === 'stderr' ? 'err' : ''}</span>
  return (
    <div className={cn('group/line flex min-w-full', wrap || expanded ? 'w-full' : 'w-max', background)}>
      {numbered ? (
        <a
          href={`#L${number + 1}`}
          tabIndex={-1}
          aria-label={`Line ${number + 1}`}
          onClick={select}
          className={cn(gutter, 'hover:text-ink hover:underline')}
        >
          {stream}
          <span className="w-(--number-width) text-right">{number + 1}</span>
        </a>
      ) : (
        <span className={gutter}>
          {stream}
          <span className="w-(--number-width)" />
        </span>
      )}
      {rank === null ? null : (
        <span className="w-[9ch] shrink-0 select-none pr-[1ch] text-subtle tabular-nums">rank {rank}</span>
      )}
      {times ? (
        <time
          className="shrink-0 select-none pr-3 text-subtle tabular-nums"
          dateTime={new Date(at).toISOString()}
        >
          {new Date(at).toTimeString().slice(0, 8)}.{String(at % 1000).padStart(3, '0')}
        </time>
      ) : null}
      <LineText {...props} />
    </div>
  )
})

function LineText(props: OutputLineProps) {
  const { number, text, kind, start, cut, wrap, expanded, pattern, currentMatch, downloadHref, onExpand } =
    props
  const { pieces, hidden } = useMemo(
    () => toPieces(text, start, pattern, expanded),
    [text, start, pattern, expanded],
  )
  if (kind === 'notice') return <p className="py-0.5 pr-4 font-sans text-warning-ink">{text}</p>
  return (
    // Isolated, so that right-to-left text cannot move the line number.
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
          Show all ({formatNumber(hidden)} more characters)
        </button>
      ) : null}
      {cut > 0 ? (
        <span className="ml-2 select-none font-sans text-subtle text-xs">
          {formatNumber(cut)} more characters are in the{' '}
          {downloadHref === null ? (
            'download when the job has ended'
          ) : (
            <a href={downloadHref} download className="text-accent-ink underline">
              download
            </a>
          )}
        </span>
      ) : null}
    </div>
  )
}

interface PlacedPiece extends Piece {
  offset: number
}

function toPieces(text: string, start: AnsiStyle, pattern: RegExp | null, expanded: boolean) {
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
