/**
 * Returns the `SET` list of an UPDATE for the columns with a value; `undefined` leaves a column unchanged. Column
 * names come from code, never from a request. Parameters are numbered from `first`.
 */
export function assignments(
  columns: Record<string, unknown>,
  first: number,
): { list: string[]; values: unknown[] } {
  const given = Object.entries(columns).filter(([, value]) => value !== undefined)
  return {
    list: given.map(([column], index) => `${column} = $${first + index}`),
    values: given.map(([, value]) => value),
  }
}
