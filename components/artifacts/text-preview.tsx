import { lazy, Suspense, useMemo, useState } from 'react'
import { visibleText } from '@/lib/contract/text/sanitize-text'
import { ScrollRegion } from '../ui/scroll-region'
import { Segmented } from '../ui/segmented'
import { Skeleton } from '../ui/skeleton'
import { shownText } from './shown-text'
import { viewerOf } from './viewers/viewer-of'

// Loaded on use: most users never open such a file.
const MarkdownText = lazy(() => import('./markdown-text').then((file) => ({ default: file.MarkdownText })))

interface TextPreviewProps {
  path: string
  text: string
  /** The text is only the beginning of the file. */
  truncated: boolean
}

/** A text, or the document that it contains. */
export function TextPreview({ path, text, truncated }: TextPreviewProps) {
  const [plain, setPlain] = useState(false)
  const shown = useMemo(() => shownText(text), [text])
  const isMarkdown = viewerOf(path) === 'markdown'
  return (
    <>
      {isMarkdown ? (
        <Segmented
          label="Show as"
          value={plain ? 'text' : 'formatted'}
          onValueChange={(value) => setPlain(value === 'text')}
          options={[
            { value: 'formatted', label: 'Formatted' },
            { value: 'text', label: 'Text' },
          ]}
          className="mb-2"
        />
      ) : null}
      <ScrollRegion
        aria-label={`Beginning of ${visibleText(path, 120)}`}
        className="max-h-[60dvh] overflow-auto rounded-md border bg-sunken"
      >
        {isMarkdown && !plain ? (
          <Suspense fallback={<Skeleton className="h-24 rounded-md" />}>
            <MarkdownText text={shown} />
          </Suspense>
        ) : (
          <pre className="p-3 font-mono text-xs">{shown}</pre>
        )}
      </ScrollRegion>
      {truncated ? (
        <p className="mt-2 text-subtle text-xs">
          This is the beginning of the file. Download it to see the rest.
        </p>
      ) : null}
    </>
  )
}
