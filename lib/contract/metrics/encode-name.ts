/** A name of a metric in a query. Names have commas between them, so a comma within a name is percent-encoded. */
export function encodeName(name: string): string {
  return name.replaceAll(/[%,]/g, encodeURIComponent)
}
