import { useLayoutEffect, useRef } from 'react'
import { visibleText } from '@/lib/contract/text/sanitize-text'
import { cn } from '../../ui/class-names'
import { ScrollRegion } from '../../ui/scroll-region'

/** A browser shows this many lines without a delay. */
const maxLines = 5_000
const maxCharacters = 2_000

interface MarkedProgramProps {
  /** The accessible name. */
  label: string
  text: string
  /** The first and the last line of each marked part, from 1. */
  ranges: readonly (readonly [number, number])[]
  /** The part that is in view. */
  active: number
}

/** A program with marked lines. */
export function MarkedProgram({ label, text, ranges, active }: MarkedProgramProps) {
  const region = useRef<HTMLElement>(null)
  const first = ranges[active]?.[0]
  useLayoutEffect(() => {
    const row = first === undefined ? null : region.current?.querySelectorAll('tr')[first - 1]
    // Not scrollIntoView: the page stays where it is.
    if (region.current && row) region.current.scrollTop = row.offsetTop - row.offsetHeight * 2
  }, [first])
  const lines = text.replace(/\r\n?/g, '\n').trimEnd().split('\n')
  return (
    <ScrollRegion
      ref={region}
      aria-label={label}
      className="relative max-h-[60dvh] overflow-auto focus-visible:-outline-offset-2"
    >
      <table className="w-full border-collapse font-mono text-xs">
        <caption className="sr-only">{label}. Lines that are alike name their part.</caption>
        <tbody>
          {lines.slice(0, maxLines).map((line, at) => {
            const part = partOf(ranges, at + 1, active)
            return (
              <tr
                // biome-ignore lint/suspicious/noArrayIndexKey: the lines never change their order
                key={at}
                aria-current={part === active ? 'true' : undefined}
                className={cn(part === active ? 'bg-warning-soft' : part === null ? '' : 'bg-hover')}
              >
                <td className="w-10 select-none px-2 text-right align-top text-muted tabular-nums">
                  {at + 1}
                </td>
                <td
                  className={cn(
                    'w-6 select-none border-l-2 px-1 text-right align-top text-muted tabular-nums',
                    part === null
                      ? 'border-transparent'
                      : part === active
                        ? 'border-warning-ink'
                        : 'border-line-strong',
                  )}
                >
                  {part !== null && ranges[part]?.[0] === at + 1 ? (
                    <>
                      <span className="sr-only">part </span>
                      {part + 1}
                    </>
                  ) : null}
                </td>
                <td className="whitespace-pre py-px pr-4">{visibleText(line, maxCharacters)}</td>
              </tr>
            )
          })}
        </tbody>
      </table>
      {lines.length > maxLines ? (
        <p className="px-4 py-2 text-muted text-sm">The other lines are not shown.</p>
      ) : null}
    </ScrollRegion>
  )
}

/** The part that a line belongs to: of several, the active one, otherwise the first one. Null: none. */
function partOf(ranges: MarkedProgramProps['ranges'], line: number, active: number): number | null {
  const has = ([first, last]: readonly [number, number]) => first <= line && line <= last
  const current = ranges[active]
  if (current && has(current)) return active
  const found = ranges.findIndex(has)
  return found === -1 ? null : found
}
