import { resolve } from 'node:path'
import { Client, type ClientOptions } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

const root = resolve(import.meta.dirname, '../../..')

interface Place {
  /** The address of the server. */
  url: string
  token: string
  /** The home of the user, which is empty. */
  home: string
}

/** The official client with a program `gpuq mcp` of its own, which ends when the client is closed. */
export interface StdioAgent {
  client: Client
  /** `kill -9` of the program. */
  kill(): void
}

/**
 * Starts `gpuq mcp` as the program of an agent does.
 * @param onAnswer called with each message of `gpuq mcp`, as it was sent
 */
export async function startGpuqMcp(
  { url, token, home }: Place,
  options?: ClientOptions,
  onAnswer: (answer: unknown) => void = () => {},
): Promise<StdioAgent> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: ['--import', 'tsx', 'cli/index.ts', 'mcp'],
    cwd: root,
    env: { PATH: process.env.PATH ?? '', HOME: home, GPUQ_SERVER: url, GPUQ_TOKEN: token },
  })
  const client = new Client({ name: 'a test', version: '1' }, options)
  await client.connect(transport)
  const receive = transport.onmessage
  transport.onmessage = (message) => {
    onAnswer(message)
    receive?.(message)
  }
  return {
    client,
    kill: () => {
      if (transport.pid !== null) process.kill(transport.pid, 'SIGKILL')
    },
  }
}
