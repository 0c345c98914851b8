'use client'

import type { CreatedToken } from '@/lib/contract/access'
import { useOrigin } from '../shell/use-origin'
import { Callout } from '../ui/callout'
import { CodeBlock } from '../ui/code-block'
import { agentConfig, configYaml, curlCommand, installCommands } from './ready-to-use'

/** A new token, the only time it is shown, with a config and a command that carry it. */
export function TokenHandover({ token }: { token: CreatedToken }) {
  const origin = useOrigin()
  const facts = { handle: token.user_id, token: token.token, origin }
  return (
    <div className="flex flex-col gap-3">
      <Callout tone="warning" title="Copy it now">
        The token is shown this once. Keep it secret: it acts as {token.user_id}.
      </Callout>
      <CodeBlock label="token" title="Token" code={token.token} wrap />
      {token.scopes.includes('submit') ? (
        <>
          <CodeBlock label="config" title="config.yaml" code={configYaml(facts)} />
          <CodeBlock label="curl command" title="Submit with curl" code={curlCommand(facts)} wrap />
          <CodeBlock
            label="commands that install gpuq"
            title="Or install gpuq, the command line"
            code={installCommands(facts)}
            wrap
          />
          <CodeBlock
            label="agent settings"
            title="Settings of an agent (MCP)"
            code={agentConfig(facts)}
            wrap
          />
        </>
      ) : null}
    </div>
  )
}
