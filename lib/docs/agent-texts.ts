import type { Actor } from '../access/actor'
import { listEnvironments } from '../access/environments'
import { readOwnLimits } from '../access/role-limits'
import { withAgentLimits } from '../jobs/config/agent-limits'
import { documentEntries, isGuide } from './catalog'
import { type Document, readDocuments } from './documents'
import { resolveLink } from './resolve-link'

/* What the server tells agents about itself, made of the documentation: `/skill.md` and `/llms.txt`. */

/** About 2,000 tokens. */
export const maxCharacters = 8_000

const file = 'agents.md'
/** What an agent needs while it works. The rest of the document is for the person who sets it up. */
const skillSections = ['The loop', 'Without MCP', 'Errors', 'Connect an agent']
/** The address of the server in the documentation. */
const documentedOrigin = 'http://gpu.example.org:8001'

/** How to use this queue, as a skill of an agent. @param actor null: without what only users may know */
export async function skillText(origin: string, actor: Actor | null): Promise<string> {
  const documents = await readDocuments()
  const sections = documents.find(({ entry }) => entry.file === file)?.pages[0].sections ?? []
  const parts = skillSections.flatMap((title) => {
    const found = sections.find(({ heading }) => heading?.text === title)
    return found ? [`## ${title}\n\n${absolute(documents, origin, found.markdown)}\n`] : []
  })
  const start = `---
name: gpuq
description: Runs programs on the GPUs of ${origin}. Use it to submit jobs and sweeps, to wait for them, and to learn why they failed.
---

# gpuq: the GPU queue at ${origin}

This machine needs no GPU: whatever needs one runs as a job of the queue. Documentation: ${origin}/llms.txt. API: ${origin}/api/openapi.json.
`
  const known = [start, ...parts].join('\n')
  const facts = await describeFacts(origin, actor, maxCharacters - known.length - 2)
  return [start, facts, ...parts].join('\n')
}

async function describeFacts(origin: string, actor: Actor | null, most: number): Promise<string> {
  if (actor === null)
    return `## For you\n\nWith your token this page has your environments and limits: curl -H "Authorization: Bearer $TOKEN" ${origin}/skill.md\n`
  const [environments, limits] = await Promise.all([listEnvironments(actor), readOwnLimits(actor, undefined)])
  const { environments: permitted = null } = actor.restriction?.agent?.limits ?? {}
  const ofToken = { ...limits, ...withAgentLimits(limits, actor.restriction) }
  const set = Object.entries(ofToken).filter(([, value]) => value !== null)
  const lines = [
    `- Your limits: ${set.length === 0 ? 'none' : set.map(([name, value]) => `${name} ${value}`).join(', ')}.`,
    ...environments
      .filter(({ enabled, name }) => enabled && (permitted === null || permitted.includes(name)))
      .map(
        ({ name, is_default, network }) =>
          `- Environment \`${name}\`${is_default ? ' (the default)' : ''}: ${network === 'internet' ? 'with' : 'without'} internet access.`,
      ),
  ]
  const head = `## For you\n\nThe token belongs to ${actor.handle}.\n`
  const more = '- Further environments: the tool ViewGPUCluster.'
  let length = head.length + more.length + 2
  const fitting = lines.filter((line) => {
    length += line.length + 1
    return length <= most
  })
  return `${[head, ...fitting, ...(fitting.length < lines.length ? [more] : [])].join('\n')}\n`
}

/** The documentation of this server, with a line for each document. */
export async function llmsText(origin: string): Promise<string> {
  const documents = await readDocuments()
  const linesOf = (wanted: boolean) =>
    documentEntries
      .filter((entry) => isGuide(entry) === wanted)
      .map(({ slug, description }) => {
        const title = documents.find(({ entry }) => entry.slug === slug)?.title ?? slug
        return `- [${title}](${origin}/docs/${slug}): ${description}`
      })
      .join('\n')
  return `# gpuq

> A GPU job queue at ${origin}. Jobs are programs, commands and directories. They wait for GPUs, run in containers, and keep their output, metrics and files.

## For agents

- [Skill](${origin}/skill.md): how to use this queue: preview, submit, wait, diagnose, fix
- [API](${origin}/api/openapi.json): all operations as OpenAPI
- [API reference](${origin}/docs/api): the same for people
- ${origin}/api/mcp: the tools for agents, by the Model Context Protocol
- [Python client](${origin}/gpuq.py): one file without dependencies

## Guides

${linesOf(true)}

## Optional

${linesOf(false)}
`
}

/** The text with the address of this server, and with complete links. */
function absolute(documents: readonly Document[], origin: string, markdown: string): string {
  return markdown
    .replaceAll(documentedOrigin, origin)
    .replaceAll(/\]\(([^)\s]+)\)/g, (whole, link: string) => {
      const found = resolveLink(documents, file, link)
      return 'href' in found && found.href.startsWith('/') ? `](${origin}${found.href})` : whole
    })
}
