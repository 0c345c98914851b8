import { visibleText } from '../text/sanitize-text'

/** A value that a program or user chose, in a sentence of gpuq: between backticks, which it cannot end. */
export function quoteValue(value: string, length: number): string {
  return `\`${visibleText(value.replace(/[`\r\n]/g, ''), length)}\``
}
