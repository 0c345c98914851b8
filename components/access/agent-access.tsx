'use client'

import { useOrigin } from '../shell/use-origin'
import { CodeBlock } from '../ui/code-block'
import { Panel, PanelHeader } from '../ui/panel'
import { agentConfig } from './snippets'

/** How to connect an agent: the MCP address and settings to paste. */
export function AgentAccess() {
  const origin = useOrigin()
  return (
    <Panel className="mt-6">
      <PanelHeader
        title="Agents"
        description="Connect a Model Context Protocol (MCP) client with one of your tokens."
      />
      <div className="flex flex-col gap-3 p-4">
        <CodeBlock label="agent address" title="Address (streamable HTTP)" code={`${origin}/api/mcp`} />
        <CodeBlock
          label="agent settings"
          title="Settings"
          code={agentConfig({ origin, token: 'YOUR_TOKEN' })}
        />
      </div>
    </Panel>
  )
}
