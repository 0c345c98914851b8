/**
 * The names in Slurm's short form of a list of hosts: `n[0-2,7],gpu01` are n0, n1, n2, n7 and gpu01. Numbers keep their
 * leading zeros. Several brackets in one name are combined.
 */
export function expandHostlist(text: string): string[] {
  return splitOutsideBrackets(text).flatMap(expandName)
}

function splitOutsideBrackets(text: string): string[] {
  return (text.match(/(?:[^,[]|\[[^\]]*\])+/g) ?? []).map((name) => name.trim()).filter((name) => name !== '')
}

function expandName(name: string): string[] {
  const match = /^([^[]*)\[([^\]]*)\](.*)$/.exec(name)
  if (match === null) return [name]
  const [, before = '', ranges = '', after = ''] = match
  const rest = expandName(after)
  return ranges
    .split(',')
    .flatMap((range) => expandRange(range).flatMap((number) => rest.map((end) => before + number + end)))
}

function expandRange(range: string): string[] {
  const [first = '', last = first] = range.split('-')
  const count = Number(last) - Number(first) + 1
  if (!(count > 0)) return [range]
  return Array.from({ length: count }, (_, index) =>
    String(Number(first) + index).padStart(first.length, '0'),
  )
}
