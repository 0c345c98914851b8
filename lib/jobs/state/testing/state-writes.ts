/** The columns of `jobs` that say where a job is and why, by their names in SQL. */
const stateColumns = [
  ...[
    'status',
    'reason',
    'reason_detail',
    'held',
    'not_before',
    'attempt',
    'assign_attempts',
    'network_index',
  ],
  ...[
    'started_at',
    'ended_at',
    'exit_code',
    'cancel_requested_at',
    'cancel_reason',
    'cancelled_while_waiting',
  ],
  ...['files_deleted', 'deleted_after_days'],
]
const stateFields = stateColumns.map((name) => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase()))

const update =
  /\bUPDATE\s+(?:ONLY\s+)?(?:"?public"?\s*\.\s*)?(?:"?jobs"?|\$\{[^}]*\})(?:\s+(?:AS\s+)?\w+)?\s+SET\s+/gi
const wholeRow =
  /\b(?:INSERT\s+INTO|DELETE\s+FROM|MERGE\s+INTO|COPY)\s+(?:ONLY\s+)?(?:"?public"?\s*\.\s*)?"?jobs"?(?![\w."])/gi
const prisma = /\.\s*job\s*\.\s*(create|update|upsert|delete)\w*\s*\(/g
const trigger = /\bNEW\s*\.\s*"?(\w+)"?\s*:=/gi

/**
 * Finds the statements in a source file or a function of the database that may write the state of a job: SQL with any line
 * breaks, comments and quotes, calls of the Prisma client, and assignments of a trigger. What cannot be read, such as an
 * interpolated list of columns, counts too.
 */
export function findStateWrites(text: string): string[] {
  const source = text
    .replace(/(?<=\s)--\s[^\n]*|\/\*[\s\S]*?\*\//g, ' ')
    // Strings that are joined by +.
    .replace(/(['"`])\s*\+\s*(['"`])/g, '')
  const updates = [...source.matchAll(update)].filter(({ 0: head, index }) => {
    const names = splitList(source.slice(index + head.length)).flatMap(assignedColumns)
    return names.some((name) => name.startsWith('${') || stateColumns.includes(name.toLowerCase()))
  })
  const calls = [...source.matchAll(prisma)].filter(({ 0: head, 1: verb, index }) => {
    const [data] = /\bdata\b[\s\S]*/.exec(insideOf(source.slice(index + head.length))) ?? []
    const object = data && /^data\s*:\s*\{/.exec(data)
    if (verb !== 'update' || !data || !object) return true
    return [...insideOf(data.slice(object[0].length)).matchAll(/(\.\.\.)|(\w+)/g)].some(
      ([word, spread]) => spread !== undefined || stateFields.includes(word),
    )
  })
  const triggers = [...source.matchAll(trigger)].filter(({ 1: name = '' }) => stateColumns.includes(name))
  return [...updates, ...source.matchAll(wholeRow), ...calls, ...triggers].map(({ index }) =>
    source.slice(index, index + 80),
  )
}

/** The columns that one element of a SET list assigns: `a = 1`, `"a" = 1`, `(a, b) = (1, 2)`; or an interpolation. */
function assignedColumns(element: string): string[] {
  const interpolated = /^\s*\$\{/.test(element)
  if (interpolated) return ['${']
  const [left = ''] = element.split('=')
  return [...left.matchAll(/\w+/g)].map(([name]) => name)
}

/** Divides a SET list at its commas, up to its end: a keyword, the end of the string, or the bracket around the statement. */
function splitList(text: string): string[] {
  const elements = ['']
  let depth = 0
  for (const [token] of text.matchAll(/\$\{|[([{]|[)\]}]|\b(?:FROM|WHERE|RETURNING)\b|[\s\S]/gi)) {
    if (/^(\$\{|[([{])$/.test(token)) depth += 1
    if (/^[)\]}]$/.test(token)) depth -= 1
    if (depth < 0 || (depth === 0 && /^(FROM|WHERE|RETURNING|[`;])$/i.test(token))) break
    if (depth === 0 && token === ',') elements.push('')
    else elements.push((elements.pop() ?? '') + token)
  }
  return elements
}

/** The text up to the bracket that closes the one before it. */
function insideOf(text: string): string {
  let depth = 0
  for (const { 0: bracket, index } of text.matchAll(/[([{}\])]/g)) {
    depth += /[([{]/.test(bracket) ? 1 : -1
    if (depth < 0) return text.slice(0, index)
  }
  return text
}
