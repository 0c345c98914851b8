import { readImage, refusalOfImage } from '@/lib/artifacts/contract-image-size'
import { screenLines } from '@/lib/contract/output/screen/screen-lines'
import { plainText } from '../../../jobs/output/ansi/ansi-parse'

/** A cell of a notebook, ready to be shown. */
export type NotebookCell =
  | { kind: 'markdown'; text: string }
  | { kind: 'raw'; text: string }
  | { kind: 'code'; text: string; count: number | null; outputs: CellOutput[] }

export type CellOutput =
  | { kind: 'text'; text: string; failed: boolean }
  | { kind: 'markdown'; text: string }
  /** `src` is a data URL: as a picture, also SVG cannot run scripts or load anything. */
  | { kind: 'image'; src: string }
  | { kind: 'hidden'; types: string }
  | { kind: 'more'; count: number }

/** More text of one cell or output is not shown. */
const shownCharacters = 20_000
/** More outputs of one cell are not shown. */
const shownOutputs = 20
/** A notebook may have thousands of cells. */
const [cellsAtOnce, charactersAtOnce] = [100, 200_000]
/** The text of a larger picture would make the page slow. */
const imageCharacters = 16 << 20

/** The end of the cells that are shown next: a browser lays them out without a delay. */
export function endOfPage(cells: readonly NotebookCell[], from: number): number {
  let [end, characters] = [from, 0]
  for (const cell of cells.slice(from, from + cellsAtOnce)) {
    if (characters >= charactersAtOnce) break
    characters += cell.text.length
    if (cell.kind === 'code')
      for (const output of cell.outputs) characters += 'text' in output ? output.text.length : 0
    end++
  }
  return end
}

/** The cells of a notebook. Null: it is not a notebook of format 4. */
export function parseNotebook(value: unknown): NotebookCell[] | null {
  const cells = field(value, 'cells')
  return Array.isArray(cells) ? cells.map(toCell) : null
}

function toCell(cell: unknown): NotebookCell {
  const text = shortened(joined(field(cell, 'source')))
  const kind = field(cell, 'cell_type')
  if (kind === 'markdown') return { kind, text }
  if (kind !== 'code') return { kind: 'raw', text }
  const count = field(cell, 'execution_count')
  const outputs = field(cell, 'outputs')
  return {
    kind,
    text,
    count: typeof count === 'number' ? count : null,
    outputs: Array.isArray(outputs) ? toOutputs(outputs) : [],
  }
}

function toOutputs(outputs: readonly unknown[]): CellOutput[] {
  const shown = outputs.slice(0, shownOutputs).map(toOutput)
  const count = outputs.length - shown.length
  return count > 0 ? [...shown, { kind: 'more', count }] : shown
}

function toOutput(output: unknown): CellOutput {
  switch (field(output, 'output_type')) {
    case 'stream':
      return shownText(joined(field(output, 'text')), field(output, 'name') === 'stderr')
    case 'error': {
      const trace = field(output, 'traceback')
      const lines = Array.isArray(trace) && trace.length > 0 ? trace.map(joined).join('\n') : null
      return shownText(lines ?? `${field(output, 'ename')}: ${field(output, 'evalue')}`, true)
    }
    default:
      return toRichOutput(field(output, 'data'))
  }
}

/** The best form that is safe to show. HTML and scripts are never shown: their text is. */
function toRichOutput(data: unknown): CellOutput {
  for (const type of ['image/png', 'image/jpeg', 'image/svg+xml']) {
    const image = toImage(type, joined(field(data, type)))
    if (image !== null) return image
  }
  const markdown = joined(field(data, 'text/markdown'))
  if (markdown !== '') return { kind: 'markdown', text: shortened(markdown) }
  for (const type of ['text/plain', 'text/latex']) {
    const text = joined(field(data, type))
    if (text !== '') return shownText(text, false)
  }
  const types = typeof data === 'object' && data !== null ? Object.keys(data).slice(0, 5) : []
  return { kind: 'hidden', types: types.join(', ') }
}

/** Null: it is no image. */
function toImage(type: string, content: string): CellOutput | null {
  if (content === '' || content.length > imageCharacters) return null
  if (type === 'image/svg+xml') {
    const text = encodeURIComponent(content.replace(/\p{Surrogate}/gu, '\ufffd'))
    return { kind: 'image', src: `data:${type};charset=utf-8,${text}` }
  }
  const base64 = content.replace(/\s/g, '')
  if (!/^[A-Za-z0-9+/]+=*$/.test(base64)) return null
  // Browsers decide by the content, whatever the notebook says.
  const image = readImage(decodeBeginning(base64))
  if (image === null) return null
  const why = refusalOfImage(image)
  return why === null ? { kind: 'image', src: `data:${image.type};base64,${base64}` } : shownText(why, false)
}

/** The first megabyte, which has the size of the image. */
function decodeBeginning(base64: string): Uint8Array {
  const whole = base64.replace(/=+$/, '').slice(0, 4 << 18)
  // One character alone stands for no byte.
  const text = atob(whole.length % 4 === 1 ? whole.slice(0, -1) : whole)
  return Uint8Array.from(text, (character) => character.charCodeAt(0))
}

function shownText(text: string, failed: boolean): CellOutput {
  return { kind: 'text', failed, text: screenLines(shortened(text)).map(plainText).join('\n') }
}

function shortened(text: string): string {
  const more = text.length - shownCharacters
  return more > 0 ? `${text.slice(0, shownCharacters)}\n… ${more.toLocaleString('en')} more characters` : text
}

/** Notebooks store a text as one string, or as a list of its lines. */
function joined(text: unknown): string {
  if (typeof text === 'string') return text
  return Array.isArray(text) ? text.filter((line) => typeof line === 'string').join('') : ''
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined
}
