import { erasesLine, findStyleChanges, isStyleReset, withoutSequences } from './control-sequences'

/**
 * Applies carriage returns, as progress bars use them: the last text wins. Keeps a return at the end, because more text
 * may follow, and the colours that were set before.
 */
export function overwrite(line: string): string {
  const last = line.lastIndexOf('\r', line.length - 2)
  if (last === -1) return line
  const passes = line.split('\r')
  const ending = passes.at(-1) === '' ? '\r' : ''
  if (ending) passes.pop()
  let shown = passes.length - 1
  while (shown > 0 && writesNothing(passes[shown] ?? '')) shown--
  const carried = findStyleChanges(passes.slice(0, shown).join(''))
  return [...sinceReset(carried), ...passes.slice(shown), ending].join('')
}

/** Whether a pass has only colours. A pass that erases the line counts as written. */
function writesNothing(pass: string): boolean {
  return !erasesLine(pass) && withoutSequences(pass) === ''
}

function sinceReset(sequences: readonly string[]): readonly string[] {
  const reset = sequences.findLastIndex(isStyleReset)
  return reset === -1 ? sequences : sequences.slice(reset)
}
