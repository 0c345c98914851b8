'use client'

import { useOrigin } from '../shell/use-origin'
import { CodeBlock } from '../ui/code-block'
import { Panel, PanelHeader } from '../ui/panel'
import { agentConfig } from './ready-to-use'

/** How an agent reaches gpuq: the address of its tools, and settings to paste. */
export function AgentAccess() {
  const origin = useOrigin()
  return (
    <Panel className="mt-6">
      <PanelHeader
        title="For agents"
        description="Programs that speak the Model Context Protocol work with jobs by one of your tokens."
      />
      <div className="flex flex-col gap-3 p-4">
        <CodeBlock label="agents' address" title="Address (streamable HTTP)" code={`${origin}/api/mcp`} />
        <CodeBlock
          label="agent settings"
          title="Settings"
          code={agentConfig({ origin, token: 'YOUR_TOKEN' })}
        />
      </div>
    </Panel>
  )
}
