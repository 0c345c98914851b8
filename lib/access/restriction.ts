import type { AgentLimits, Restriction } from '../contract/access/restriction'

/** The restriction of a token, from its row. */
export function restrictionOf({
  tokenId,
  classProject,
  agentLimits,
}: {
  tokenId: string
  classProject: { id: string; slug: string } | null
  agentLimits: AgentLimits | null
}): Restriction | null {
  if (classProject !== null) return { projects: [classProject], agent: null }
  return agentLimits && { projects: agentLimits.projects, agent: { tokenId, limits: agentLimits } }
}

/** The values of the two parameters of {@link isReached}. */
export function reachOf(
  restriction: Restriction | null,
): [projectIds: string[] | null, tokenId: string | null] {
  return [restriction?.projects?.map(({ id }) => id) ?? null, restriction?.agent?.tokenId ?? null]
}

/** SQL condition for whether a credential reaches a row of its user with the columns `project_id` and `token_id`: see {@link reachOf}. */
export const isReached = (row: string, projectIds: string, tokenId: string) =>
  `((${projectIds}::uuid[] IS NULL OR ${row}.project_id = ANY (${projectIds})) AND (${tokenId}::uuid IS NULL OR ${row}.token_id = ${tokenId}))`

/** Whether a credential reaches a job or a group of its user, as {@link isReached}. */
export function reaches(
  restriction: Restriction | null,
  { project_id, token_id }: { project_id: string | null; token_id: string | null },
): boolean {
  const [projectIds, tokenId] = reachOf(restriction)
  const isInProject = projectIds === null || (project_id !== null && projectIds.includes(project_id))
  return isInProject && (tokenId === null || tokenId === token_id)
}

/** What a restricted token is for, as the beginning of a sentence. */
export function describeRestriction({ projects, agent }: Restriction): string {
  const names = projects?.map(({ slug }) => `"${slug}"`).join(', ')
  if (agent === null) return `This token is only for the class ${names}`
  if (names === undefined) return 'This token is for an agent'
  return `This token is only for ${projects?.length === 1 ? 'the project' : 'the projects'} ${names}`
}
