/**
 * The `SET` list of an UPDATE for the columns that a value is given for; `undefined` leaves a column as it is. Column
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
