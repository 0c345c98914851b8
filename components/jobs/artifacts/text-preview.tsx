import { lazy, Suspense, useMemo, useState } from 'react'
import { visibleText } from '@/lib/contract/sanitize-text'
import { ScrollRegion } from '../../ui/scroll-region'
import { Segmented } from '../../ui/segmented'
import { Skeleton } from '../../ui/skeleton'
import { formatJson } from './format-json'
import { type PreviewFormat, previewFormatOf } from './preview-format'

// Loaded on use: most users never open such a file.
const CsvTable = lazy(() => import('./csv-table').then((file) => ({ default: file.CsvTable })))
const MarkdownText = lazy(() => import('./markdown-text').then((file) => ({ default: file.MarkdownText })))

const labels: Record<PreviewFormat, string> = { table: 'Table', json: 'Formatted', markdown: 'Formatted' }

interface TextPreviewProps {
  path: string
  text: string
  /** The text is only the beginning of the file. */
  truncated: boolean
}

/** A text, or the table or document that it contains. */
export function TextPreview({ path, text, truncated }: TextPreviewProps) {
  const [plain, setPlain] = useState(false)
  const shown = useMemo(() => shownText(text), [text])
  const json = useMemo(() => (previewFormatOf(path) === 'json' ? formatJson(text) : null), [path, text])
  const known = previewFormatOf(path)
  // A part of a JSON file is not JSON.
  const format = known === 'json' && json === null ? null : known
  return (
    <>
      {format ? (
        <Segmented
          label="Show as"
          value={plain ? 'text' : 'formatted'}
          onValueChange={(value) => setPlain(value === 'text')}
          options={[
            { value: 'formatted', label: labels[format] },
            { value: 'text', label: 'Text' },
          ]}
          className="mb-2"
        />
      ) : null}
      <ScrollRegion
        aria-label={`Beginning of ${visibleText(path, 120)}`}
        className="max-h-[60dvh] overflow-auto rounded-md border bg-sunken"
      >
        <Suspense fallback={<Skeleton className="h-24 rounded-md" />}>
          <FormattedText format={plain ? null : format} text={shown} json={json} truncated={truncated} />
        </Suspense>
      </ScrollRegion>
      {truncated ? (
        <p className="mt-2 text-subtle text-xs">
          This is the beginning of the file. Download it to see the rest.
        </p>
      ) : null}
    </>
  )
}

interface FormattedTextProps {
  /** Null: plain text. */
  format: PreviewFormat | null
  text: string
  json: string | null
  truncated: boolean
}

function FormattedText({ format, text, json, truncated }: FormattedTextProps) {
  switch (format) {
    case 'table':
      return <CsvTable text={text} truncated={truncated} />
    case 'markdown':
      return <MarkdownText text={text} />
    case 'json':
      return <pre className="p-3 font-mono text-xs">{shownText(json ?? text)}</pre>
    case null:
      return <pre className="p-3 font-mono text-xs">{text}</pre>
    default:
      return format satisfies never
  }
}

/** Keeps newlines and tabs, and shows other invisible characters by code. */
function shownText(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(/[^\n\t]+/g, (part) => visibleText(part, part.length * 10))
}
