/** The kind of a project decides whether its owner, or its managers, see the jobs of its members. A private one adds no such right. */
export const projectKinds = ['private', 'team', 'class'] as const
export type ProjectKind = (typeof projectKinds)[number]

/** The kinds to which whoever joins agrees. */
export const agreedKinds = ['team', 'class'] as const
export type AgreedKind = (typeof agreedKinds)[number]

const seers: Record<AgreedKind, string> = {
  team: 'It is a team: its owner sees',
  class: 'It is a class: its owner and its managers see',
}

const rights: Record<AgreedKind, string> = {
  team: 'can change nothing else.',
  class:
    'can change nothing else. They may make tokens with which you submit to this class: you find these under Tokens, and can revoke them.',
}

/** Says what members of a team or a class show to whom. */
export function describeAgreement(kind: AgreedKind): string {
  return `${seers[kind]} your jobs in it with their source, output and files, also earlier ones, and may cancel them. They see no values of variables and secrets, and ${rights[kind]}`
}

/** Says before somebody joins a team or a class what they agree to, and what its name means from then on. */
export function describeJoining(kind: AgreedKind, slug: string): string {
  return `${describeAgreement(kind)} After you join, your jobs with project_id ${slug} belong to it. If you have another project of this name, you are asked which one you mean.`
}

/** The project of jobs that name none. */
export const defaultProject = 'default'

/** Says in the answer to a submission that it created a project. */
export function describeCreated(slug: string): string {
  return `gpuq created the private project "${slug}" for this job, because you had no project of this name and have joined no class or team of this name.`
}

/** Says before a submission that it creates a project. */
export function describeToCreate(slug: string): string {
  return `Creates the private project "${slug}", because you have no project of this name and have joined no class or team of this name.`
}
