/** How the text of an artifact can be shown, apart from plain text. */
export type PreviewFormat = 'table' | 'json' | 'markdown'

const formats: Record<string, PreviewFormat> = {
  csv: 'table',
  tsv: 'table',
  json: 'json',
  md: 'markdown',
  markdown: 'markdown',
}

/** The format by the file's extension; null for plain text. */
export function previewFormatOf(path: string): PreviewFormat | null {
  const extension = /\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase() ?? ''
  return Object.hasOwn(formats, extension) ? (formats[extension] ?? null) : null
}
