/** A number with as many digits as a decision needs. */
export const roundNumber = (value: number | null): number | null =>
  value === null || !Number.isFinite(value) ? null : Number(value.toPrecision(5))
