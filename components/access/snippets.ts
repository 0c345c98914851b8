/** Files and commands that work without edits, shown with a new token. */

interface SnippetValues {
  handle: string
  token: string
  /** The server's address in the reader's browser. */
  origin: string
}

/** A word, quoted for a shell. */
const quoted = (value: string) => `'${value.replaceAll("'", `'\\''`)}'`
const quotedIfNeeded = (value: string) => (/^[\w:/.-]+$/.test(value) ? value : quoted(value))

/** The command that submits the two files and prints the result. */
export function curlCommand({ token, origin }: Pick<SnippetValues, 'token' | 'origin'>): string {
  return [
    `curl -X POST ${quoted(`${origin}/api/submit`)} \\`,
    `  -H ${quoted(`Authorization: Bearer ${token}`)} \\`,
    `  -F code=@solution.py \\`,
    `  -F config_file=@config.yaml`,
  ].join('\n')
}

/** A Python program that downloads the client and submits a job. Works in a notebook too. */
export function pythonProgram({ token, origin }: Pick<SnippetValues, 'token' | 'origin'>): string {
  const text = (value: string) => JSON.stringify(value)
  return [
    'from urllib.request import urlretrieve',
    `urlretrieve(${text(`${origin}/gpuq.py`)}, "gpuq.py")  # once`,
    '',
    'import gpuq',
    `job = gpuq.submit("solution.py", gpus=1, token=${text(token)})`,
    'for line in job.log():',
    '    print(line)',
    'print(job.status, job.results)',
  ].join('\n')
}

/** The settings of an MCP client for `/api/mcp`. */
export function agentConfig({ token, origin }: Pick<SnippetValues, 'token' | 'origin'>): string {
  const server = { type: 'http', url: `${origin}/api/mcp`, headers: { Authorization: `Bearer ${token}` } }
  return JSON.stringify({ mcpServers: { gpuq: server } }, null, 2)
}

/** The commands that install `gpuq` and store a token. */
export function installCommands({ origin }: Pick<SnippetValues, 'origin'>): string {
  return [
    `npm install -g ${quotedIfNeeded(`${origin}/gpuq.tgz`)}`,
    `gpuq login --server ${quotedIfNeeded(origin)}`,
  ].join('\n')
}
