/** The wait after a number of failures in a row. It doubles from `first` up to `longest`. */
export function backoff(failures: number, first: number, longest: number): number {
  return Math.min(first * 2 ** (failures - 1), longest)
}
