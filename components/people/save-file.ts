import { saveBlob } from '../ui/save-blob'

/** Saves a text as a CSV file of the browser. The byte order mark tells spreadsheets that it is UTF-8. */
export function saveFile(name: string, text: string): void {
  saveBlob(name, new Blob([`\uFEFF${text}`], { type: 'text/csv;charset=utf-8' }))
}
