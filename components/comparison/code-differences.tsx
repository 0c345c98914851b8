import { useMemo } from 'react'
import { Callout } from '@/components/ui/callout'
import { cn } from '@/components/ui/class-names'
import { ScrollRegion } from '@/components/ui/scroll-region'
import { visibleText } from '@/lib/contract/text/sanitize-text'
import { compareCode, type DiffLine } from './code-lines'

const styles = {
  same: { mark: ' ', row: '', name: '' },
  removed: { mark: '-', row: 'bg-danger-soft', name: 'removed: ' },
  added: { mark: '+', row: 'bg-success-soft', name: 'added: ' },
  gap: { mark: '⋯', row: 'bg-sunken text-subtle', name: '' },
} as const satisfies Record<DiffLine['kind'], { mark: string; row: string; name: string }>

/** A browser shows this many lines without a delay. */
const maxLines = 5_000
const maxCharacters = 2_000

interface CodeDifferencesProps {
  first: string
  second: string
  /** What the texts are, for screen readers. */
  name: string
  /** The sentence for equal texts. */
  equal: string
}

/** How the second text differs from the first one. */
export function CodeDifferences({ first, second, name, equal }: CodeDifferencesProps) {
  const lines = useMemo(() => compareCode(first, second), [first, second])
  if (lines === null)
    return (
      <Callout className="m-3" title="The texts are too different">
        They have so few equal lines that a comparison takes too long. Open the Source tab of each job
        instead.
      </Callout>
    )
  if (lines.every(({ kind }) => kind === 'gap'))
    return <p className="px-4 py-3 text-muted text-sm">{equal}</p>
  return (
    <ScrollRegion aria-label={`Differences of ${name}`} className="max-h-[70dvh] overflow-auto">
      <table className="w-full border-collapse font-mono text-xs">
        <caption className="sr-only">Lines that differ, with the lines around them</caption>
        <tbody>
          {lines.slice(0, maxLines).map((line, at) => {
            const { mark, row, name } = styles[line.kind]
            return (
              // biome-ignore lint/suspicious/noArrayIndexKey: the lines never change their order
              <tr key={at} className={row}>
                <LineNumber number={line.before} />
                <LineNumber number={line.after} />
                <td className="whitespace-pre py-px pr-4">
                  <span aria-hidden className="inline-block w-4 select-none">
                    {mark}
                  </span>
                  {name ? <span className="sr-only">{name}</span> : null}
                  {visibleText(line.text, maxCharacters)}
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
      {lines.length > maxLines ? (
        <p className="px-4 py-2 text-muted text-sm">The other differences are not shown.</p>
      ) : null}
    </ScrollRegion>
  )
}

function LineNumber({ number }: { number: number | null }) {
  return (
    <td className={cn('w-10 select-none px-2 text-right align-top text-muted tabular-nums')}>
      {number ?? ''}
    </td>
  )
}
