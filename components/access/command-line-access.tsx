'use client'

import { useOrigin } from '../shell/use-origin'
import { CodeBlock } from '../ui/code-block'
import { Panel, PanelBody, PanelHeader } from '../ui/panel'
import { installCommands } from './ready-to-use'

/** How one gets the command line: this server has the one that goes with it. */
export function CommandLineAccess() {
  const origin = useOrigin()
  return (
    <Panel className="mt-6">
      <PanelHeader
        title="For a terminal"
        description="gpuq does there what these pages do. It needs Node.js 20.19 or later, and asks for one of your tokens."
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
  )
}
