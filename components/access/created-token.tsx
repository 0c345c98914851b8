import { useInfiniteQuery } from '@tanstack/react-query'
import { projectsQuery } from '@/components/queries/queries'
import type { CreatedToken } from '@/lib/contract/access/access'
import type { Project } from '@/lib/contract/access/projects'
import { configYaml } from '@/lib/contract/config/first-config'
import { ShownOnce } from '../shell/shown-once'
import { useOrigin } from '../shell/use-origin'
import { CodeBlock } from '../ui/code-block'
import { agentConfig, curlCommand, installCommands, pythonProgram } from './snippets'

/** A new token with a config and commands that contain it. It is shown only once. */
export function CreatedTokenDetails({ token }: { token: CreatedToken }) {
  const origin = useOrigin()
  const { data } = useInfiniteQuery(projectsQuery())
  const values = {
    handle: token.user_id,
    token: token.token,
    origin,
    project:
      token.limits?.projects?.[0] ??
      projectOf(token.user_id, data?.pages.flatMap(({ items }) => items) ?? []),
  }
  const forAgent = token.limits !== null
  const agentSettings = (
    <CodeBlock label="agent settings" title="Agent settings (MCP)" code={agentConfig(values)} wrap />
  )
  return (
    <ShownOnce
      label="token"
      title="Token"
      secret={token.token}
      note={`You see this token only once. Keep it secret: whoever has it ${describeRights(token)}.`}
    >
      {token.scopes.includes('submit') ? (
        <>
          {forAgent ? agentSettings : null}
          <CodeBlock label="config" title="config.yaml" code={configYaml(values)} />
          <CodeBlock label="curl command" title="Submit with curl" code={curlCommand(values)} wrap />
          <CodeBlock label="Python program" title="Or submit from Python" code={pythonProgram(values)} wrap />
          <CodeBlock
            label="commands that install gpuq"
            title="Or install the gpuq command line"
            code={installCommands(values)}
            wrap
          />
          {forAgent ? null : agentSettings}
        </>
      ) : null}
    </ShownOnce>
  )
}

function describeRights({ user_id, limits }: CreatedToken): string {
  return limits === null
    ? `acts as ${user_id}`
    : `submits jobs as ${user_id} within its limits, and sees and stops only those`
}

/** A project of the user for the config, the own ones first; undefined: none is known. */
function projectOf(handle: string, projects: readonly Project[]): string | undefined {
  const own = projects.find(({ owner }) => owner === handle)
  return (own ?? projects.find(({ members }) => members.includes(handle)))?.project_id
}
