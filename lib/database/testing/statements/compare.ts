import ts from 'typescript'
import type { Column } from './describe'

/** What the database knows about its types and columns. */
export interface Catalog {
  types: ReadonlyMap<number, { name: string; element: number; labels: string[] | null }>
  /** The names of the columns that can be null, by `table.column` in ids. */
  nullable: ReadonlyMap<string, string>
}

/** How `pg` gives the values of a type of PostgreSQL to the program. */
const kinds: Record<string, string> = {
  bool: 'boolean',
  bytea: 'Buffer',
  date: 'Date',
  float4: 'number',
  float8: 'number',
  int2: 'number',
  int4: 'number',
  int8: 'number',
  json: 'json',
  jsonb: 'json',
  oid: 'number',
  timestamp: 'Date',
  timestamptz: 'Date',
}

/** The elements of these arrays are texts, though the types themselves are not. */
const textElements = ['int8']

/** A column that nobody reads: `SELECT 1`, or the result of a function like `pg_notify`. */
const isUnnamed = ({ name, dataTypeID }: Column) => name === '?column?' || dataTypeID === 2278

/** Compares the columns of a statement with the type of its rows. Returns what is wrong, in sentences. */
export function compareColumns(
  checker: ts.TypeChecker,
  row: ts.Type | undefined,
  columns: readonly Column[],
  { types, nullable }: Catalog,
  text: string,
): string[] {
  if (columns.every(isUnnamed)) return []
  if (!row || row.flags & (ts.TypeFlags.Any | ts.TypeFlags.TypeParameter)) return ['its rows have no type']
  const properties = new Map(
    (row.isUnion() ? row.types : [row]).flatMap((member) =>
      checker.getPropertiesOfType(member).map((property) => [property.name, property] as const),
    ),
  )
  const names = columns.map(({ name }) => name)
  const missing = [...properties.values()].filter(
    ({ name, flags }) => !names.includes(name) && !(flags & ts.SymbolFlags.Optional),
  )
  const wrong = columns.flatMap((column) => {
    const property = properties.get(column.name)
    if (!property) return `the row has no property ${column.name}`
    const type = checker.getTypeOfSymbol(property)
    const members = type.isUnion() ? type.types : [type]
    const known = members.filter(({ flags }) => !(flags & (ts.TypeFlags.Null | ts.TypeFlags.Undefined)))
    const isAny = members.some(({ flags }) => flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown))
    if (isAny) return []
    // A statement with several texts may have several types.
    const isOther = known.length > 0 && known.every((member) => problemOf(member, column.dataTypeID))
    const source = nullable.get(`${column.tableID}.${column.columnID}`)
    const mayBeNull = source !== undefined && !new RegExp(`\\b${source} IS NOT NULL\\b`).test(text)
    return [
      ...(isOther
        ? [`${column.name} is ${nameOf(column.dataTypeID)}, not ${checker.typeToString(type)}`]
        : []),
      ...(labelsMissing(known, column.dataTypeID)
        ? [`${column.name} has values that ${checker.typeToString(type)} lacks`]
        : []),
      ...(mayBeNull && known.length === members.length ? [`${column.name} can be null`] : []),
    ]
  })
  const repeated = names.filter((name, index) => names.indexOf(name) !== index)
  return [
    ...missing.map(({ name }) => `the statement has no column ${name}`),
    ...repeated.map((name) => `there are two columns ${name}`),
    ...wrong,
  ]

  function nameOf(oid: number): string {
    const type = types.get(oid)
    return type?.element ? `${nameOf(type.element)}[]` : (type?.name ?? String(oid))
  }

  /** True if no value of the PostgreSQL type can have the TypeScript type. */
  function problemOf(type: ts.Type, oid: number): boolean {
    const { name, element, labels } = types.get(oid) ?? { name: '', element: 0, labels: null }
    const kind = kinds[name] ?? 'string'
    if (kind === 'json') return ['Date', 'Buffer'].includes(type.symbol?.name)
    if (element === 0) return kindOf(type) !== kind
    const [inner] = checker.isArrayType(type) ? checker.getTypeArguments(type as ts.TypeReference) : []
    if (!inner) return labels !== null || !(types.get(element)?.labels && kindOf(type) === 'string')
    // `pg` does not know arrays of the enums of this database, and gives them as one text.
    if (types.get(element)?.labels) return true
    const elements = (inner.isUnion() ? inner.types : [inner]).filter(
      ({ flags }) => !(flags & ts.TypeFlags.Null),
    )
    if (textElements.includes(types.get(element)?.name ?? ''))
      return elements.some((item) => kindOf(item) !== 'string')
    return elements.some((item) => problemOf(item, element))
  }

  function kindOf(type: ts.Type): string {
    if (type.flags & ts.TypeFlags.StringLike) return 'string'
    if (type.flags & ts.TypeFlags.NumberLike) return 'number'
    if (type.flags & ts.TypeFlags.BooleanLike) return 'boolean'
    if (checker.isArrayType(type)) return 'array'
    return type.symbol?.name ?? 'object'
  }

  function labelsMissing(members: readonly ts.Type[], oid: number): boolean {
    const labels = types.get(oid)?.labels
    const literals = members.flatMap((member) => (member.isStringLiteral() ? member.value : []))
    if (!labels || literals.length < members.length) return false
    // A statement that names values may exclude others.
    if (labels.some((label) => text.includes(`'${label}'`))) return false
    return labels.some((label) => !literals.includes(label))
  }
}
