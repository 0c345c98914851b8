/** A name of a metric in a query. Names have commas between them, so a comma within a name is percent-encoded. */
export function encodeName(name: string): string {
  return name.replaceAll(/[%,]/g, encodeURIComponent)
}

/** The names in a query, which has them as `encodeName` returns them, with commas between them. */
export function decodeNames(text: string): string[] {
  return text
    .split(',')
    .map((name) => name.replaceAll(/%25|%2c/gi, decodeURIComponent))
    .filter((name) => name !== '')
}
