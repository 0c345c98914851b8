/** A row for an object of the API, whose named times are dates. */
export type WithDates<Item, Times extends keyof Item> = {
  [Key in keyof Item]: Key extends Times ? Date | Extract<Item[Key], null> : Item[Key]
}

/** The dates of a row as RFC 3339 texts. */
type WithTexts<Row> = {
  [Key in keyof Row]: Row[Key] extends Date | null ? string | Extract<Row[Key], null> : Row[Key]
}

/** Returns the row with RFC 3339 texts instead of dates. */
export function datesToText<Row extends object>(row: Row): WithTexts<Row> {
  const entries = Object.entries(row)
  const texts = entries.map(([name, value]) => [name, value instanceof Date ? value.toISOString() : value])
  return Object.fromEntries(texts) as WithTexts<Row>
}
