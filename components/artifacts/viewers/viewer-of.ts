/** A file of a job that a viewer reads from its download address. */
export interface ViewedFile {
  path: string
  bytes: number
  url: string
}

/** How a file can be shown, apart from plain text and pictures, which the server recognizes by their content. */
export type Viewer = 'csv' | 'tsv' | 'parquet' | 'json' | 'json-lines' | 'notebook' | 'markdown'

const viewers: Record<string, Viewer> = {
  csv: 'csv',
  tsv: 'tsv',
  tab: 'tsv',
  parquet: 'parquet',
  pq: 'parquet',
  json: 'json',
  jsonl: 'json-lines',
  ndjson: 'json-lines',
  ipynb: 'notebook',
  md: 'markdown',
  markdown: 'markdown',
}

/** The viewer by the file's extension; null: none but text. */
export function viewerOf(path: string): Viewer | null {
  const extension = extensionOf(path)
  return Object.hasOwn(viewers, extension) ? (viewers[extension] ?? null) : null
}

function extensionOf(path: string): string {
  return /\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase() ?? ''
}
