import { useQuery } from '@tanstack/react-query'
import Image from 'next/image'
import { useMemo, useState } from 'react'
import { fileTextQuery } from '@/components/queries/job-file'
import { Button } from '@/components/ui/button'
import { Callout } from '@/components/ui/callout'
import { cn } from '@/components/ui/class-names'
import { formatBytes, formatCount } from '@/components/ui/format-number'
import { ScrollRegion } from '@/components/ui/scroll-region'
import { Skeleton } from '@/components/ui/skeleton'
import { visibleText } from '@/lib/contract/text/sanitize-text'
import { LoadFailure } from '../../../shell/load-failure'
import { MarkdownText } from '../../markdown-text'
import { shownText } from '../../shown-text'
import { parseJsonFile } from '../tree/parse-json-file'
import type { ViewedFile } from '../viewer-of'
import { type CellOutput, endOfPage, type NotebookCell, parseNotebook } from './parse-notebook'

const maxBytes = 32 << 20

/** A notebook, read-only: its text, code and outputs. Nothing of it runs. */
export function NotebookViewer({ file }: { file: ViewedFile }) {
  const fits = file.bytes <= maxBytes
  const { data: text, error, refetch } = useQuery({ ...fileTextQuery(file.url), enabled: fits })
  const cells = useMemo(() => (text === undefined ? null : readCells(text)), [text])
  if (!fits)
    return (
      <Callout tone="warning" title="This notebook is too large to show">
        It has {formatBytes(file.bytes)}. A notebook of at most {formatBytes(maxBytes)} can be shown here:
        download it.
      </Callout>
    )
  if (error) return <LoadFailure error={error} onRetry={() => void refetch()} />
  if (cells === null) return <Skeleton className="h-40 rounded-md" />
  if (typeof cells === 'string')
    return (
      <Callout tone="warning" announce title="This file cannot be shown as a notebook">
        {visibleText(cells, 500)}
      </Callout>
    )
  return <Cells path={file.path} cells={cells} />
}

/** The cells, or why there are none. */
function readCells(text: string): NotebookCell[] | string {
  const parsed = parseJsonFile(text)
  if ('problem' in parsed) return parsed.problem
  return (
    parseNotebook(parsed.value) ??
    'It has no list of cells. Save it with Jupyter 2 or later, which writes format 4.'
  )
}

function Cells({ path, cells }: { path: string; cells: readonly NotebookCell[] }) {
  const [shown, setShown] = useState(() => endOfPage(cells, 0))
  if (cells.length === 0) return <p className="text-muted text-sm">The notebook has no cells.</p>
  return (
    <ScrollRegion
      aria-label={`Notebook ${visibleText(path, 120)}`}
      className="flex max-h-[70dvh] flex-col gap-3 overflow-auto rounded-md border bg-surface p-3"
    >
      {cells.slice(0, shown).map((cell, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a cell has only its position
        <Cell key={index} cell={cell} />
      ))}
      {shown < cells.length ? (
        <Button size="sm" className="self-start" onClick={() => setShown(endOfPage(cells, shown))}>
          Show more of {formatCount(cells.length, 'cell')}
        </Button>
      ) : null}
    </ScrollRegion>
  )
}

const textStyles = 'wrap-anywhere whitespace-pre-wrap font-mono text-xs leading-5'

function Cell({ cell }: { cell: NotebookCell }) {
  if (cell.kind === 'markdown') return <MarkdownText text={cell.text} />
  if (cell.kind === 'raw') return <pre className={cn(textStyles, 'text-muted')}>{shownText(cell.text)}</pre>
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <div className="flex gap-2">
        <span className="w-12 shrink-0 py-2 text-right font-mono text-subtle text-xs">
          [{cell.count ?? ' '}]
        </span>
        <pre className={cn(textStyles, 'min-w-0 flex-1 rounded-md border bg-sunken p-2')}>
          {shownText(cell.text)}
        </pre>
      </div>
      {cell.outputs.map((output, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an output has only its position
        <div key={index} className="ml-14 min-w-0">
          <Output output={output} />
        </div>
      ))}
    </div>
  )
}

function Output({ output }: { output: CellOutput }) {
  switch (output.kind) {
    case 'text':
      return (
        <pre
          className={cn(textStyles, 'px-2', output.failed && 'border-danger-ink border-l-2 text-danger-ink')}
        >
          {shownText(output.text)}
        </pre>
      )
    case 'markdown':
      return <MarkdownText text={output.text} />
    case 'image':
      return (
        <Image
          unoptimized
          width={0}
          height={0}
          src={output.src}
          alt="Output of the cell"
          className="h-auto w-auto max-w-full bg-white"
        />
      )
    case 'hidden':
      return (
        <p className="px-2 text-muted text-xs">
          Output that is not shown here ({visibleText(output.types || 'without a type', 200)}). Download the
          notebook to see it.
        </p>
      )
    case 'more':
      return (
        <p className="px-2 text-muted text-xs">
          {formatCount(output.count, 'more output')}. Download the notebook to see them.
        </p>
      )
    default:
      return output satisfies never
  }
}
