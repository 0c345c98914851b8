import type { CreatedToken } from '@/lib/contract/access/access'
import { configYaml } from '@/lib/contract/config/first-config'
import { ShownOnce } from '../shell/shown-once'
import { useOrigin } from '../shell/use-origin'
import { CodeBlock } from '../ui/code-block'
import { agentConfig, curlCommand, installCommands, pythonProgram } from './snippets'

/** A new token with a config and commands that contain it. It is shown only once. */
export function CreatedTokenDetails({ token }: { token: CreatedToken }) {
  const origin = useOrigin()
  const values = { handle: token.user_id, token: token.token, origin }
  return (
    <ShownOnce
      label="token"
      title="Token"
      secret={token.token}
      note={`You see this token only once. Keep it secret: whoever has it acts as ${token.user_id}.`}
    >
      {token.scopes.includes('submit') ? (
        <>
          <CodeBlock label="config" title="config.yaml" code={configYaml(values)} />
          <CodeBlock label="curl command" title="Submit with curl" code={curlCommand(values)} wrap />
          <CodeBlock label="Python program" title="Or submit from Python" code={pythonProgram(values)} wrap />
          <CodeBlock
            label="commands that install gpuq"
            title="Or install the gpuq command line"
            code={installCommands(values)}
            wrap
          />
          <CodeBlock label="agent settings" title="Agent settings (MCP)" code={agentConfig(values)} wrap />
        </>
      ) : null}
    </ShownOnce>
  )
}
