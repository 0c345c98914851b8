/** The query of the Source tab at a line. */
export function sourceQuery(file: string, line: number): URLSearchParams {
  return new URLSearchParams({ tab: 'source', file, line: String(line) })
}
