/**
 * What the way to the end of an output says: how much came in since one let go of it, while more may come. Of a job that
 * has ended nothing is new, however much of it the page still reads.
 */
export function jumpLabel(live: boolean, newLines: number): string {
  if (!live || newLines <= 0) return 'Jump to end'
  return `${newLines.toLocaleString('en')} new ${newLines === 1 ? 'line' : 'lines'}`
}
