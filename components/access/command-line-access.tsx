'use client'

import { useOrigin } from '../shell/use-origin'
import { CodeBlock } from '../ui/code-block'
import { Panel, PanelBody, PanelHeader } from '../ui/panel'
import { installCommands } from './snippets'

/** How to install the command line. The server provides the matching version. */
export function CommandLineAccess() {
  const origin = useOrigin()
  return (
    <Panel className="mt-6">
      <PanelHeader
        title="Command line"
        description="Does what these pages do, in a terminal. Needs Node.js 20.19 or later and one of your tokens."
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
