/** What a new token is handed over with: files and commands that work as they stand. */

interface Handover {
  handle: string
  token: string
  /** Where gpuq is, as the reader's browser reaches it. */
  origin: string
}

/** A `config.yaml` to go with a first `solution.py`. */
export function configYaml({ handle, token }: Pick<Handover, 'handle' | 'token'>): string {
  const text = (value: string) => JSON.stringify(value)
  return [
    `competition_id: "my-competition"`,
    `project_id: "my-project"`,
    `user_id: ${text(handle)}`,
    'expected_time: 300  # seconds',
    `token: ${text(token)}`,
    '',
  ].join('\n')
}

/** A word as a shell takes it. */
const quoted = (value: string) => `'${value.replaceAll("'", `'\\''`)}'`
const quotedIfNeeded = (value: string) => (/^[\w:/.-]+$/.test(value) ? value : quoted(value))

/** The command that submits the two files and prints the result. */
export function curlCommand({ token, origin }: Pick<Handover, 'token' | 'origin'>): string {
  return [
    `curl -X POST ${quoted(`${origin}/api/submit`)} \\`,
    `  -H ${quoted(`Authorization: Bearer ${token}`)} \\`,
    `  -F code=@solution.py \\`,
    `  -F config_file=@config.yaml`,
  ].join('\n')
}

/** What an agent's program needs in its settings to reach the tools at `/api/mcp`. */
export function agentConfig({ token, origin }: Pick<Handover, 'token' | 'origin'>): string {
  const server = { type: 'http', url: `${origin}/api/mcp`, headers: { Authorization: `Bearer ${token}` } }
  return JSON.stringify({ mcpServers: { gpuq: server } }, null, 2)
}

/** The commands that put `gpuq` on a machine with Node.js, and store a token for it. */
export function installCommands({ origin }: Pick<Handover, 'origin'>): string {
  return [
    `npm install -g ${quotedIfNeeded(`${origin}/gpuq.tgz`)}`,
    `gpuq login --server ${quotedIfNeeded(origin)}`,
  ].join('\n')
}
