/** What an example sends. */
export interface ExampleRequest {
  method: string
  /** The complete address, with the placeholders of the path and required queries. */
  url: string
  /** Whether the operation needs a token. */
  authorized: boolean
  body:
    | { kind: 'none' }
    | { kind: 'json'; value: unknown }
    | { kind: 'files'; files: readonly { part: string; name: string }[] }
    | { kind: 'bytes' }
  /** Whether the response is JSON. Other responses are printed as text. */
  json: boolean
}

export interface RequestExamples {
  curl: string
  python: string
  javascript: string
}

/** The same request with curl, Python's `requests` and the `fetch` of JavaScript. */
export function requestExamples(request: ExampleRequest): RequestExamples {
  return { curl: curl(request), python: python(request), javascript: javascript(request) }
}

const shellQuoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

function curl({ method, url, authorized, body }: ExampleRequest): string {
  const implied = method === 'GET' || (method === 'POST' && body.kind !== 'none')
  const lines = [`curl ${implied ? '' : `-X ${method} `}${shellQuoted(url)}`]
  if (authorized) lines.push(`-H "Authorization: Bearer $TOKEN"`)
  if (body.kind === 'json') {
    lines.push("-H 'Content-Type: application/json'", `-d ${shellQuoted(JSON.stringify(body.value))}`)
  }
  if (body.kind === 'files') lines.push(...body.files.map(({ part, name }) => `-F ${part}=@${name}`))
  if (body.kind === 'bytes') lines.push("-H 'Content-Type: application/octet-stream'", '--data-binary @FILE')
  return lines.join(' \\\n  ')
}

/** A literal of Python. Those of JSON differ only in three words. */
function pythonLiteral(value: unknown): string {
  if (value === null || value === undefined) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (Array.isArray(value)) return `[${value.map(pythonLiteral).join(', ')}]`
  if (typeof value === 'object') {
    const entries = Object.entries(value).map(
      ([key, item]) => `${JSON.stringify(key)}: ${pythonLiteral(item)}`,
    )
    return `{${entries.join(', ')}}`
  }
  return JSON.stringify(value)
}

function python({ method, url, authorized, body, json }: ExampleRequest): string {
  const options = [
    ...(authorized ? [`headers={"Authorization": f"Bearer {os.environ['TOKEN']}"}`] : []),
    ...(body.kind === 'json' ? [`json=${pythonLiteral(body.value)}`] : []),
    ...(body.kind === 'files'
      ? [`files={${body.files.map(({ part, name }) => `"${part}": open("${name}", "rb")`).join(', ')}}`]
      : []),
    ...(body.kind === 'bytes' ? ['data=open("FILE", "rb")'] : []),
  ]
  return [
    ...(authorized ? ['import os', ''] : []),
    'import requests',
    '',
    `response = requests.${method.toLowerCase()}(`,
    ...[JSON.stringify(url), ...options].map((option) => `    ${option},`),
    ')',
    'response.raise_for_status()',
    `print(response.${json ? 'json()' : 'text'})`,
  ].join('\n')
}

function javascript({ method, url, authorized, body, json }: ExampleRequest): string {
  const headers = [
    ...(authorized ? ["Authorization: 'Bearer ' + process.env.TOKEN"] : []),
    ...(body.kind === 'json' ? ["'Content-Type': 'application/json'"] : []),
    ...(body.kind === 'bytes' ? ["'Content-Type': 'application/octet-stream'"] : []),
  ]
  const options = [
    ...(method === 'GET' ? [] : [`method: '${method}'`]),
    ...(headers.length > 0 ? [`headers: { ${headers.join(', ')} }`] : []),
    ...(body.kind === 'json' ? [`body: JSON.stringify(${JSON.stringify(body.value)})`] : []),
    ...(body.kind === 'files' ? ['body: form'] : []),
    ...(body.kind === 'bytes' ? ["body: await openAsBlob('FILE')"] : []),
  ]
  const reads = body.kind === 'files' || body.kind === 'bytes'
  const prepare =
    body.kind === 'files'
      ? [
          'const form = new FormData()',
          ...body.files.map(
            ({ part, name }) => `form.append('${part}', await openAsBlob('${name}'), '${name}')`,
          ),
        ]
      : []
  const call =
    options.length === 0
      ? [`const response = await fetch('${url}')`]
      : [`const response = await fetch('${url}', {`, ...options.map((option) => `  ${option},`), '})']
  return [
    ...(reads ? ["import { openAsBlob } from 'node:fs'", ''] : []),
    ...prepare,
    ...call,
    'if (!response.ok) throw new Error((await response.json()).detail)',
    `console.log(await response.${json ? 'json' : 'text'}())`,
  ].join('\n')
}
