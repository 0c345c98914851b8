import { useOrigin } from '../shell/use-origin'
import { CodeBlock } from '../ui/code-block'
import { Panel, PanelBody, PanelHeader } from '../ui/panel'
import { agentConfig, installCommands, pythonProgram } from './snippets'

/** How to connect the command line, Python and agents to this server, with text to paste. */
export function ConnectPanels() {
  const origin = useOrigin()
  return (
    <>
      {/* The server provides the matching version of the command line. */}
      <Panel className="mt-6">
        <PanelHeader
          title="Command line"
          description="Do in a terminal everything that these pages do. Needs Node.js 24 (22.12 works too) and one of your tokens."
        />
        <PanelBody>
          <CodeBlock
            label="commands that install gpuq"
            title="Install gpuq and sign in"
            code={installCommands({ origin })}
            wrap
          />
        </PanelBody>
      </Panel>
      <Panel className="mt-6">
        <PanelHeader
          title="Python"
          description="One file without dependencies, for scripts and notebooks. Needs Python 3.8 or later and one of your tokens."
        />
        <PanelBody>
          <CodeBlock
            label="Python program"
            title="Submit a job and print its output"
            code={pythonProgram({ origin, token: 'YOUR_TOKEN' })}
            wrap
          />
        </PanelBody>
      </Panel>
      <Panel className="mt-6">
        <PanelHeader
          title="Agents"
          description="Connect a Model Context Protocol (MCP) client with one of your tokens."
        />
        <PanelBody className="flex flex-col gap-3">
          <CodeBlock label="agent address" title="Address (streamable HTTP)" code={`${origin}/api/mcp`} />
          <CodeBlock
            label="agent settings"
            title="Settings"
            code={agentConfig({ origin, token: 'YOUR_TOKEN' })}
          />
        </PanelBody>
      </Panel>
    </>
  )
}
