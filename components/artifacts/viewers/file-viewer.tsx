import dynamic from 'next/dynamic'
import { type ReactNode, useState } from 'react'
import { Segmented } from '../../ui/segmented'
import { Skeleton } from '../../ui/skeleton'
import type { ViewedFile, Viewer } from './viewer-of'

// Loaded on use: most users never open such a file.
const loading = () => <Skeleton className="h-40 rounded-md" />
const TableViewer = dynamic(() => import('./table/table-viewer').then((module) => module.TableViewer), {
  loading,
})
const JsonViewer = dynamic(() => import('./tree/json-viewer').then((module) => module.JsonViewer), {
  loading,
})
const NotebookViewer = dynamic(
  () => import('./notebook/notebook-viewer').then((module) => module.NotebookViewer),
  {
    loading,
  },
)

const labels: Record<FileViewerProps['viewer'], string> = {
  csv: 'Table',
  tsv: 'Table',
  parquet: 'Table',
  json: 'Tree',
  'json-lines': 'Tree',
  notebook: 'Notebook',
}

interface FileViewerProps {
  file: ViewedFile
  viewer: Exclude<Viewer, 'markdown'>
  /** The beginning of the file as text; null: it is not text. */
  text: ReactNode
}

/** A file in the form that fits its type, or as text. */
export function FileViewer({ file, viewer, text }: FileViewerProps) {
  const [plain, setPlain] = useState(false)
  return (
    <div className="flex min-w-0 flex-col gap-2">
      {text === null ? null : (
        <Segmented
          label="Show as"
          value={plain ? 'text' : 'formatted'}
          onValueChange={(value) => setPlain(value === 'text')}
          options={[
            { value: 'formatted', label: labels[viewer] },
            { value: 'text', label: 'Text' },
          ]}
          className="self-start"
        />
      )}
      {plain ? text : <Formatted file={file} viewer={viewer} />}
    </div>
  )
}

function Formatted({ file, viewer }: Pick<FileViewerProps, 'file' | 'viewer'>) {
  switch (viewer) {
    case 'csv':
    case 'tsv':
    case 'parquet':
      return <TableViewer path={file.path} file={{ url: file.url, bytes: file.bytes, format: viewer }} />
    case 'json':
    case 'json-lines':
      return <JsonViewer file={file} lines={viewer === 'json-lines'} />
    case 'notebook':
      return <NotebookViewer file={file} />
    default:
      return viewer satisfies never
  }
}
