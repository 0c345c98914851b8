import { erasesLine, findStyleChanges, isStyleReset, withoutSequences } from './control-sequences'

/**
 * What is left of a line that went back to its beginning, as progress bars do: the last thing written over it. A
 * return at the very end is kept, for what may still be written over this; colours that were switched on before stay
 * on.
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

/** Only colours after the return change nothing that was there; an erased line is empty on purpose. */
function writesNothing(pass: string): boolean {
  return !erasesLine(pass) && withoutSequences(pass) === ''
}

function sinceReset(sequences: readonly string[]): readonly string[] {
  const reset = sequences.findLastIndex(isStyleReset)
  return reset === -1 ? sequences : sequences.slice(reset)
}
