/** A spreadsheet would take a cell that begins like this for a formula. */
const formula = /^[=+\-@\t\r]/

/** A text as a cell of a CSV file. */
export function toCell(text: string): string {
  const safe = formula.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
